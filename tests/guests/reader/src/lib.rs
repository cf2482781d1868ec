//! A coder for benchmarks: its task is `read N PATH` or `search N TEXT`, and it does just that, N times.

use snodo_plugin::prelude::*;
use snodo_plugin::{read, search};

struct Reader;

impl Coder for Reader {
    fn describe() -> Description {
        Description::new("reader", "0.1.0", "reads or searches, as often as its task says")
    }

    fn implement(task: Task, _: Context) -> Result<Implementation, CoderError> {
        let mut words = task.spec.splitn(3, ' ');
        let (act, times, what) = (words.next(), words.next().and_then(|n| n.parse().ok()), words.next());
        let (Some(act), Some(times), Some(what)) = (act, times, what) else {
            return Err(CoderError::UnusableTask("`read N PATH` or `search N TEXT`".to_owned()));
        };
        for _ in 0..times {
            match act {
                "read" => drop(read::file(what)?),
                _ => drop(search::text(&search::TextQuery::literal(what).limit(10_000))?),
            }
        }
        Ok(Implementation::done())
    }
}

snodo_plugin::export!(coder: Reader);
