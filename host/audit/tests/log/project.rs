//! Whom an event belongs to.

use std::fs;

use snodo_audit::project::{Project, ProjectFault, cached, normalised, resolve};

use crate::world::World;

#[test]
fn addresses_are_normalised_as_by_snodo() {
    for (address, id) in [
        ("https://github.com/Org/Repo.git", "github.com/org/repo"),
        ("ssh://git@github.com:22/Org/Repo.git", "github.com/org/repo"),
        ("https://host.example:8443/a/b.git", "host.example:8443/a/b"),
        ("/srv/git/repo.git", "/srv/git/repo"),
        ("git@host:8080/a/b.git", "host:8080/a/b"),
        ("https://github.com/a/b.git.git", "github.com/a/b.git"),
        ("git@github.com:org/repo.git", "github.com/org/repo"),
        ("https://user:secret@host/a/", "host/a"),
        ("https://host:443", "host"),
        ("https://host:4433/a", "host:4433/a"),
        ("host:8080", "host/8080"),
        ("git+ssh://host/a", "git+ssh://host/a"),
        ("  HTTPS://Host/A.git/ \n", "host/a"),
        ("@host:a", "@host:a"),
        ("", ""),
    ] {
        assert_eq!(normalised(address), id, "{address}");
    }
}

fn with(json: &str, remote: Option<&str>) -> Project {
    let world = World::new();
    fs::write(world.path("project.json"), json).unwrap();
    resolve(cached(&world.dir).unwrap().as_ref(), remote, [0xff; 16])
}

#[test]
fn the_project_is_what_the_file_says_or_the_remote() {
    let remote = Some("https://github.com/o/r.git");
    let id = |json, remote| with(json, remote).id;
    assert_eq!(id(r#"{"id": "local:1"}"#, None), "local:1");
    assert_eq!(id(r#"{"id": "local:1"}"#, remote), "github.com/o/r");
    assert_eq!(id(r#"{"id": "local:1", "scope": "override"}"#, remote), "local:1");
    assert_eq!(id(r#"{"id": "a", "project.id": "b"}"#, None), "b");
    assert_eq!(id(r#"{"id": "a", "project.id": ""}"#, None), "a");
    assert_eq!(id(r#"{"id": null, "scope": "override"}"#, remote), "github.com/o/r");
    assert_eq!(
        with(r#"{"id": "host/x", "scope": "local"}"#, remote),
        Project {
            id: "host/x".to_owned(),
            other_remote: Some("github.com/o/r".to_owned())
        }
    );
    assert_eq!(with(r#"{"id": "github.com/o/r"}"#, remote).other_remote, None);
    assert_eq!(id("{}", remote), "github.com/o/r");
    assert_eq!(id("{}", None), "local:ffffffffffff4fffbfffffffffffffff");
}

#[test]
fn a_file_that_says_nothing_is_said_to() {
    let world = World::new();
    assert!(cached(&world.dir).unwrap().is_none());
    for (json, reason) in [
        ("[]", "holds a list and no object"),
        ("{", "is not JSON (a key in double quotes is expected at byte 2)"),
        (r#"{"id": 5}"#, "has a number as id"),
    ] {
        fs::write(world.path("project.json"), json).unwrap();
        let error = cached(&world.dir).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
    fs::write(world.path("project.json"), b"\xff").unwrap();
    assert!(cached(&world.dir).is_err());
    fs::write(world.path("project.json"), vec![b' '; 1024 * 1024 + 1]).unwrap();
    assert!(matches!(cached(&world.dir), Err(ProjectFault::Content(_))));
    fs::remove_file(world.path("project.json")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", world.path("project.json")).unwrap();
    assert!(matches!(cached(&world.dir), Err(ProjectFault::File(_))));
}
