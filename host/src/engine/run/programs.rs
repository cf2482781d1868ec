//! What a run will execute is looked at before a coder has worked: whether it is there, and whether it can be contained.

use std::ffi::OsString;

use super::{Halt, Run};
use crate::outcome::End;
use crate::sandbox::{Permissions, ProgramFault, find_program};

impl Run<'_> {
    pub(super) async fn check_programs(&mut self) -> Result<(), Halt> {
        for program in self.assembled.coder.availability_requirements() {
            let name = self.assembled.coder.name().to_owned();
            self.find(&program).map_err(|fault| {
                Halt::new(
                    End::Environment,
                    format!("the external coder `{name}` cannot be run: {fault}"),
                )
            })?;
        }
        let mut needs = self.assembled.needs.clone();
        if self.judges_run_tests() {
            if let Some(command) = self.assembled.command.clone() {
                self.find(command.program()).map_err(|fault| {
                    let text = &command.text;
                    Halt::new(
                        End::ValidatorError,
                        format!("the declared test command `{text}` cannot be run: {fault}"),
                    )
                })?;
                needs.push(self.runner.permissions().clone());
            }
        } else if self.assembled.coder.observes_tests() && self.assembled.command.is_some() {
            needs.push(self.runner.permissions().clone());
        }
        for need in &needs {
            self.contained(need).await?;
        }
        Ok(())
    }

    fn judges_run_tests(&self) -> bool {
        self.assembled.judges.iter().any(|judge| judge.plugin.uses_runner())
    }

    /// A name with a folder in it is looked for where it will run: in the workspace's scratch.
    fn find(&self, program: &str) -> Result<(), ProgramFault> {
        let path = self.assembled.sandbox.environment().get("PATH");
        let root = self.base.root().resolved();
        find_program(program, path.map(OsString::as_os_str), root).map(drop)
    }

    async fn contained(&mut self, need: &Permissions) -> Result<(), Halt> {
        match self.assembled.sandbox.check(need).await {
            Ok(None) => Ok(()),
            Ok(Some(less)) => {
                if !self.report.warnings.contains(&less) {
                    self.warn(less);
                }
                Ok(())
            }
            Err(missing) => Err(Halt::new(
                End::Environment,
                format!(
                    "{missing} (`snodo-host doctor` shows it all). What can be done: {}",
                    missing.remedies().join("; ")
                ),
            )),
        }
    }
}
