use duration_demo::seconds;

#[test]
fn units_are_told_apart() {
    assert_eq!(seconds("90s"), Some(90));
    assert_eq!(seconds("5m"), Some(300));
    assert_eq!(seconds("2h"), Some(7200));
}

#[test]
fn what_is_no_duration_is_nothing() {
    assert_eq!(seconds("soon"), None);
    assert_eq!(seconds(""), None);
}
