use snodo_plugin::{Coder, CoderError, Context, Description, Implementation, Task, submit};

struct Greeter;

impl Coder for Greeter {
    fn describe() -> Description {
        Description::new("greeter", "0.1.0", "writes a greeting")
    }
    fn implement(task: Task, _: Context) -> Result<Implementation, CoderError> {
        submit::files(vec![submit::write("GREETING.md", format!("# {}\n", task.spec))])?;
        Ok(Implementation::done())
    }
}

snodo_plugin::export!(coder: Greeter);
