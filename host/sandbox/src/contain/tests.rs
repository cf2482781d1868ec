#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
use super::*;

/// A machine that offers all but these.
fn machine(root: bool, without: &[Layer]) -> Machine {
    let offered = Layer::ALL
        .into_iter()
        .filter(|layer| !without.contains(layer) && (root || *layer != Layer::Identity))
        .collect();
    let missing: Vec<_> = without.iter().map(|layer| (*layer, "the system refuses it")).collect();
    Machine::of("6.18", root, &offered, &missing)
}

const NAMESPACES: [Layer; 7] = [
    Layer::UserNamespace,
    Layer::MountNamespace,
    Layer::Overlay,
    Layer::PidNamespace,
    Layer::PrivateProc,
    Layer::IpcNamespace,
    Layer::NetworkNamespace,
];
const LANDLOCK: [Layer; 3] = [Layer::Landlock, Layer::LandlockNetwork, Layer::LandlockScope];

#[derive(Debug, PartialEq)]
enum Kind {
    View,
    Plain,
    Uncontained,
    Refused(Vec<Boundary>),
}

fn choose(machine: &Machine, policy: SandboxPolicy, network: bool) -> Kind {
    match layers_for(machine, policy, network, true) {
        Ok(Mode::View(_)) => Kind::View,
        Ok(Mode::Plain(_)) => Kind::Plain,
        Ok(Mode::Uncontained) => Kind::Uncontained,
        Err(refused) => Kind::Refused(refused.boundaries),
    }
}

#[test]
fn what_is_chosen() {
    use Boundary::{Files, Network};
    use SandboxPolicy::{BestEffort, Off, Required};
    let all = [&NAMESPACES[..], &LANDLOCK, &[Layer::Seccomp]].concat();
    let no_filter = [&NAMESPACES[..], &[Layer::Seccomp]].concat();
    let no_files = [&NAMESPACES[..], &LANDLOCK].concat();
    let table: &[(&[Layer], SandboxPolicy, bool, Kind)] = &[
        (&[], Required, false, Kind::View),
        (&[], BestEffort, false, Kind::View),
        (&[], Off, false, Kind::Uncontained),
        // Namespaces alone are enough, and so are Landlock and the filter.
        (&LANDLOCK, Required, false, Kind::View),
        (&[Layer::Seccomp], Required, false, Kind::View),
        (&NAMESPACES, Required, false, Kind::Plain),
        (&[Layer::PidNamespace], Required, false, Kind::Plain),
        // A container that lets nobody mount `/proc`.
        (&[Layer::PrivateProc], Required, false, Kind::Plain),
        (
            &[Layer::PrivateProc, Layer::Landlock, Layer::LandlockScope],
            Required,
            false,
            Kind::View,
        ),
        // A boundary is missing.
        (&no_filter, Required, false, Kind::Refused(vec![Network])),
        (&no_filter, Required, true, Kind::Plain),
        (&no_files, Required, false, Kind::Refused(vec![Files])),
        (&no_files, Required, true, Kind::Refused(vec![Files])),
        (&all, Required, false, Kind::Refused(vec![Files, Network])),
        (&all, BestEffort, false, Kind::Plain),
        (&all, Off, false, Kind::Uncontained),
    ];
    for root in [true, false] {
        for (without, policy, network, expected) in table {
            let machine = machine(root, without);
            assert_eq!(
                choose(&machine, *policy, *network),
                *expected,
                "root {root}, without {without:?}, {policy:?}, network {network}"
            );
        }
    }
}

#[test]
fn the_network_and_the_overlay_are_asked_for_only_where_they_are_wanted() {
    let machine = machine(false, &[]);
    let view = |network, overlay| {
        layers_for(&machine, SandboxPolicy::Required, network, overlay)
            .unwrap()
            .layers()
    };
    assert!(view(false, true).has(Layer::NetworkNamespace) && view(false, true).has(Layer::LandlockNetwork));
    assert!(!view(true, true).has(Layer::NetworkNamespace) && !view(true, true).has(Layer::LandlockNetwork));
    assert!(view(false, true).has(Layer::Overlay) && !view(false, false).has(Layer::Overlay));
    assert!(!view(false, true).has(Layer::Identity));
}

#[test]
fn root_without_namespaces_becomes_somebody_else() {
    let layers = |root| {
        layers_for(&machine(root, &NAMESPACES), SandboxPolicy::Required, false, true)
            .unwrap()
            .layers()
    };
    assert!(layers(true).has(Layer::Identity) && layers(true).has(Layer::Capabilities));
    assert!(!layers(false).has(Layer::Identity) && layers(false).has(Layer::Capabilities));
}

#[test]
fn root_that_stays_root_in_the_machine_s_view_is_not_contained() {
    let without = [&NAMESPACES[..], &[Layer::Identity]].concat();
    let machine = machine(true, &without);
    let refused = layers_for(&machine, SandboxPolicy::Required, false, true).unwrap_err();
    assert_eq!(refused.boundaries, [Boundary::Files]);
    assert!(refused.missing.iter().any(|(layer, _)| *layer == Layer::Identity));
    assert!(matches!(
        layers_for(&machine, SandboxPolicy::BestEffort, false, true),
        Ok(Mode::Plain(_))
    ));
}

#[test]
fn what_is_asked_for_is_offered_and_a_refusal_says_what_is_missing_and_what_to_do() {
    for without in Layer::ALL {
        for root in [true, false] {
            let machine = machine(root, &[without]);
            let mode = layers_for(&machine, SandboxPolicy::Required, false, true).unwrap();
            assert!(mode.layers().iter().all(|layer| machine.offers(layer)), "{without:?}");
        }
    }
    let all = [&NAMESPACES[..], &LANDLOCK, &[Layer::Seccomp]].concat();
    let refused = layers_for(&machine(false, &all), SandboxPolicy::Required, false, true).unwrap_err();
    let text = refused.to_string();
    for part in [
        "files of this machine",
        "network",
        "`landlock`: the system refuses it",
        "`seccomp`",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(refused.remedies().len(), 3);
}
