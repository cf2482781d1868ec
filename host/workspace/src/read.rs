//! `read`, answered from a view.

use crate::capability::{
    BadParameter, Cancel, Content, FileRead, LimitReached, LinesRead, ListQuery, Listing, Read, ReadAnswer, ReadError,
};
use crate::lines::{self, LineSlice};
use crate::path::WorkspacePath;
use crate::view::{View, read_error};

impl Read for View {
    fn read_file(&self, path: &str) -> Result<FileRead, ReadError> {
        let path = WorkspacePath::parse(path)?;
        let (bytes, executable) = self.load(&path)?.into_parts();
        let size = bytes.len() as u64;
        let content = Content::from_bytes(bytes);
        let bom = matches!(&content, Content::Text(text) if text.starts_with('\u{feff}'));
        Ok(FileRead {
            path: path.as_str().to_owned(),
            content,
            size,
            executable,
            bom,
        })
    }

    fn read_lines(&self, path: &str, first: u64, last: u64) -> Result<LinesRead, ReadError> {
        let path = WorkspacePath::parse(path)?;
        if first == 0 {
            return Err(bad_parameter("first", "lines are counted from 1".to_owned()));
        }
        if last < first {
            return Err(bad_parameter(
                "last",
                format!("it lies before `first`, which is {first}"),
            ));
        }
        let limits = *self.base().limits();
        let slice = match self.load(&path) {
            Ok(file) => lines::of_bytes(file.bytes(), first, last, limits.lines_bytes),
            Err(ReadError::TooLarge { .. }) => {
                let file = self.open_large(&path)?;
                lines::of_reader(file, first, last, limits.lines_bytes, limits.scan_bytes).map_err(|error| {
                    read_error(
                        &path,
                        crate::base::BaseError::Io {
                            path: path.to_string(),
                            error,
                        },
                    )
                })?
            }
            Err(error) => return Err(error),
        };
        let LineSlice {
            bytes,
            last,
            total,
            truncated,
        } = slice;
        Ok(LinesRead {
            path: path.as_str().to_owned(),
            first,
            last,
            content: Content::from_bytes(bytes),
            total,
            truncated,
        })
    }

    fn read_files(&self, paths: &[String]) -> Result<Vec<ReadAnswer>, ReadError> {
        let limits = self.base().limits();
        if paths.len() > limits.batch_paths {
            let allowed = limits.batch_paths as u64;
            return Err(ReadError::Limit(LimitReached {
                name: "batch-paths",
                allowed,
            }));
        }
        let mut left = limits.batch_bytes;
        let answers = paths.iter().map(|path| {
            let outcome = self.read_file(path).and_then(|file| match left.checked_sub(file.size) {
                Some(rest) => {
                    left = rest;
                    Ok(file)
                }
                // Of a file that does not fit, nothing is given; a smaller one after it may still fit.
                None => Err(ReadError::Limit(LimitReached {
                    name: "batch-bytes",
                    allowed: limits.batch_bytes,
                })),
            });
            ReadAnswer {
                path: path.clone(),
                outcome,
            }
        });
        Ok(answers.collect())
    }

    fn list_files(&self, query: &ListQuery, cancel: &Cancel) -> Result<Listing, ReadError> {
        crate::list::list_files(self, query, cancel)
    }
}

fn bad_parameter(field: &'static str, reason: String) -> ReadError {
    ReadError::BadParameter(BadParameter { field, reason })
}
