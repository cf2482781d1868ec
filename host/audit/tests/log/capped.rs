//! How large an event may be.

use snodo_audit::chain::Chain;
use snodo_audit::value::{Object, Value};
use snodo_audit::{AuditError, MAX_EVENT_BYTES};

use crate::world::{PROJECT, World, now, object, with};

/// The data of the one event that is appended.
fn appended<const N: usize>(members: [(&str, Value); N]) -> Object {
    let world = World::new();
    world.log().append(now(), &with(members)).unwrap();
    let event = Chain::START.clone().follow(world.lines()[0].as_bytes()).unwrap();
    object(&event.data).clone()
}

fn text<'a>(data: &'a Object, key: &str) -> &'a str {
    data[&key.into()].as_str().unwrap()
}

/// What is around the texts in the count.
fn around(data: &str) -> usize {
    format!("{{\"event_type\": \"transition\", \"project_id\": \"{PROJECT}\", \"data\": {data}}}").len()
}

#[test]
fn an_event_of_exactly_the_limit_stays_whole() {
    let most = MAX_EVENT_BYTES - around("{\"a\": \"\"}");
    let whole = appended([("a", "x".repeat(most).into())]);
    assert_eq!(text(&whole, "a").len(), most);
    // One more: as snodo cuts it, with what it cuts beyond what it must.
    let cut = appended([("a", "x".repeat(most + 1).into())]);
    let mark = "… [truncated: 0 bytes removed]".len();
    let removed = 1 + mark + 1024;
    assert_eq!(
        text(&cut, "a"),
        format!(
            "{}… [truncated: {removed} bytes removed]",
            "x".repeat(most + 1 - removed)
        )
    );
}

/// The example of which snodo was asked: `deep` goes to its mark, and of `top` 39043 bytes go, with snodo's own figures.
#[test]
fn the_deepest_goes_first_then_the_longest() {
    let deep: Object = [("deep".into(), "z".repeat(300_000).into())].into_iter().collect();
    let data = appended([
        ("sub", deep.into()),
        ("top", "z".repeat(300_000).into()),
        ("op", "halt".into()),
    ]);
    let deep = data[&"sub".into()].get("deep").unwrap().as_str().unwrap();
    assert_eq!(deep, "… [truncated: 300000 bytes removed]");
    let top = text(&data, "top");
    let (kept, mark) = top.split_once('…').unwrap();
    assert_eq!(mark, format!(" [truncated: {} bytes removed]", 300_000 - kept.len()));
    assert!((250_000..MAX_EVENT_BYTES).contains(&kept.len()), "{}", kept.len());
    // snodo would have gone on to this one, though all fits.
    assert_eq!(text(&data, "op"), "halt");
}

#[test]
fn of_equal_depth_the_longest_goes_first_and_the_rest_stays() {
    let data = appended([("a", "x".repeat(100_000).into()), ("b", "y".repeat(200_000).into())]);
    assert_eq!(text(&data, "a").len(), 100_000);
    assert!(text(&data, "b").contains("… [truncated: "));
}

#[test]
fn a_code_point_is_never_cut_in_two() {
    for lead in 0..5 {
        let long = format!("{}{}", "x".repeat(lead), "\u{1f600}é".repeat(60_000));
        let cut = appended([("a", long.into())]);
        let (kept, _) = text(&cut, "a").split_once('…').unwrap();
        assert!(!kept.contains('\u{fffd}'));
    }
}

#[test]
fn what_texts_cannot_give_is_written_all_the_same() {
    let many: Vec<u64> = (0..100_000).collect();
    let data = appended([("numbers", many.into()), ("op", "x".into())]);
    assert_eq!(text(&data, "op"), "x", "a text that its mark would only make longer");
}

#[test]
fn what_could_not_be_read_back_is_refused() {
    let world = World::with_events(1);
    let before = world.text();
    let many: Vec<&str> = vec!["12345678"; 1_500_000];
    let error = world.log().append(now(), &with([("many", many.into())])).unwrap_err();
    assert!(matches!(error, AuditError::TooLong { .. }), "{error}");
    let deep = (0..900).fold(Value::Null, |inner, _| Value::List(vec![inner]));
    let error = world.log().append(now(), &with([("deep", deep)])).unwrap_err();
    assert!(matches!(error, AuditError::TooDeep { .. }), "{error}");
    assert_eq!(world.text(), before);
    let deep = (0..898).fold(Value::Null, |inner, _| Value::List(vec![inner]));
    world.log().append(now(), &with([("deep", deep)])).unwrap();
    assert_eq!(world.verify().events, 2);
}
