//! `npm test`: node's own runner, a dependency in `node_modules` and a program of that dependency's.

use super::{Project, prove, works};

fn project() -> Project {
    let project = Project::of(
        "npm test",
        "node_modules/\n",
        &[
            (
                "package.json",
                "{\n  \"name\": \"shout\",\n  \"version\": \"1.0.0\",\n  \"type\": \"module\",\n  \
                 \"scripts\": { \"test\": \"louder-check index.js && node --test\" },\n  \"dependencies\": { \"louder\": \"1.0.0\" }\n}\n",
            ),
            (
                "index.js",
                "import { louder } from 'louder';\n\nexport function shout(text) {\n  return louder(text) + '?';\n}\n",
            ),
            (
                "test/shout.test.js",
                "import assert from 'node:assert';\nimport test from 'node:test';\nimport { shout } from '../index.js';\n\n\
                 test('shouts', () => assert.strictEqual(shout('hello'), 'HELLO!'));\n\
                 test('shouts nothing', () => assert.strictEqual(shout(''), '!'));\n",
            ),
        ],
    );
    // As npm has installed it: git does not track it.
    let installed = "node_modules/louder/";
    for (path, text) in [
        (
            "package.json",
            "{ \"name\": \"louder\", \"version\": \"1.0.0\", \"main\": \"index.js\", \"bin\": { \"louder-check\": \"check.js\" } }\n",
        ),
        ("index.js", "exports.louder = (text) => text.toUpperCase();\n"),
        (
            "check.js",
            "#!/usr/bin/env node\nrequire('node:fs').accessSync(process.argv[2]);\nconsole.log('checked');\n",
        ),
    ] {
        project.sandbox.put(&format!("{installed}{path}"), text);
    }
    let modules = project.sandbox.workspace().join("node_modules");
    super::executable(&modules.join("louder/check.js"));
    std::fs::create_dir(modules.join(".bin")).unwrap();
    std::os::unix::fs::symlink("../louder/check.js", modules.join(".bin/louder-check")).unwrap();
    Project {
        mistake: (
            "index.js",
            "  return louder(text) + '?';",
            "  return louder(text) + '!';",
        ),
        prints: (&["'?' !== '!'", "fail 2"], &["checked", "pass 2", "fail 0"]),
        ..project
    }
}

#[test]
fn npm_runs_nodes_own_runner() {
    // Node's runner came with its version 18.
    let new = "process.exit(process.versions.node.split('.')[0] >= 18 ? 0 : 1)";
    if works("node", &["-e", new]) && works("npm", &["--version"]) {
        prove(project);
    }
}
