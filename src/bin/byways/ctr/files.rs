//! What is read and what is written.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use tempfile::{Builder, NamedTempFile};

use super::Args;
use crate::Failure;

/// Whether a path means the standard input or output.
fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What is read.
pub(super) struct Input {
    /// What it is called in messages.
    pub(super) name: String,
    /// How many bytes there are, if that is known beforehand.
    pub(super) left: Option<u64>,
    pub(super) reader: Box<dyn Read>,
    /// Which file it is, if it is one.
    file: Option<Handle>,
}

impl Input {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        if is_standard(path) {
            let mut file = Handle::stdin().ok().filter(is_file);
            let left = file.as_mut().and_then(|file| left(file.as_file_mut()));
            return Ok(Input { name: "standard input".to_owned(), left, reader: Box::new(io::stdin()), file });
        }
        let name = path.display().to_string();
        let wrong = |why: &dyn std::fmt::Display| Failure::Usage(format!("cannot read `{name}`: {why}"));
        let mut reader = File::open(path).map_err(|error| wrong(&error))?;
        if reader.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(wrong(&"it is a folder"));
        }
        let left = left(&mut reader);
        let file = reader.try_clone().and_then(Handle::from_file).map_err(|error| wrong(&error))?;
        Ok(Input { left, reader: Box::new(reader), file: Some(file).filter(is_file), name })
    }

    fn is(&self, other: &Handle) -> bool {
        self.file.as_ref() == Some(other)
    }
}

fn is_file(handle: &Handle) -> bool {
    handle.as_file().metadata().is_ok_and(|metadata| metadata.is_file())
}

/// How many bytes a file has from where it stands.
fn left(file: &mut File) -> Option<u64> {
    let metadata = file.metadata().ok().filter(Metadata::is_file)?;
    Some(metadata.len().saturating_sub(file.stream_position().ok()?))
}

/// What is written.
pub(super) enum Output<'a> {
    Stdout(&'a mut dyn Write),
    /// A file beside the one that is meant: it takes that one's name at the end, or is deleted on drop.
    File {
        file: NamedTempFile,
        path: PathBuf,
        replace: bool,
    },
}

impl<'a> Output<'a> {
    pub(super) fn open(args: &Args, input: &Input, stdout: &'a mut dyn Write) -> Result<Self, Failure> {
        if is_standard(&args.output) {
            return match Handle::stdout() {
                Ok(stdout) if input.is(&stdout) => Err(same(&input.name, "the standard output")),
                _ => Ok(Output::Stdout(stdout)),
            };
        }
        let name = args.output.display();
        let wrong = |error: io::Error| Failure::Usage(format!("cannot write `{name}`: {error}"));
        let old = match fs::symlink_metadata(&args.output) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(wrong(error)),
            // a link stays, and what it leads to is replaced
            Ok(_) => {
                Some(fs::canonicalize(&args.output).and_then(|path| Ok((fs::metadata(&path)?, path))).map_err(wrong)?)
            }
        };
        if let Some((metadata, path)) = &old {
            if !metadata.is_file() {
                let what = if metadata.is_dir() { "a folder" } else { "no ordinary file" };
                return Err(Failure::Usage(format!("cannot write `{name}`: it is {what}; a file would do, or `-`")));
            }
            // a key from a pipe is no file, and to open a pipe again would wait
            let key = Some(&args.key_file).filter(|key| key.is_file());
            if key.is_some_and(|key| same_file::is_same_file(path, key).unwrap_or(false)) {
                return Err(same(&args.key_file.display().to_string(), &format!("`{name}`")));
            }
            if Handle::from_path(path).is_ok_and(|path| input.is(&path)) {
                return Err(same(&input.name, &format!("`{name}`")));
            }
            if !args.force {
                return Err(Failure::Usage(format!("`{name}` exists; `--force` replaces it")));
            }
        }
        let replace = old.is_some();
        let (metadata, path) = old.unzip();
        let path = path.unwrap_or_else(|| args.output.clone());
        let file = beside(&path, metadata).map_err(wrong)?;
        Ok(Output::File { file, path, replace })
    }

    /// All is written: gives the file its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let Output::File { file, path, replace } = self else { return Ok(()) };
        let wrong = |error| Failure::Cannot(format!("cannot write `{}`: {error}", path.display()));
        file.as_file().sync_all().map_err(wrong)?;
        let named = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
        named.map(drop).map_err(|error| wrong(error.error))
    }

    /// That not all could be written.
    pub(super) fn failed(&self, error: io::Error) -> Failure {
        match self {
            Output::Stdout(_) => Failure::Output(error),
            Output::File { path, .. } => Failure::Cannot(format!("cannot write `{}`: {error}", path.display())),
        }
    }
}

fn same(input: &str, output: &str) -> Failure {
    Failure::Usage(format!("`{input}` and {output} are the same file; the output must be another"))
}

/// A new file in the folder of `path`, with the permissions of the one that it replaces.
fn beside(path: &Path, old: Option<Metadata>) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".byways-");
    #[cfg(unix)]
    if old.is_none() {
        // what the umask takes away is taken away
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    fs::metadata(folder)?;
    // the whole error has the name of a file that nobody asked for
    let file = builder.tempfile_in(folder).map_err(|error| error.kind())?;
    old.map_or(Ok(()), |old| file.as_file().set_permissions(old.permissions()))?;
    Ok(file)
}

impl Write for Output<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stdout(stdout) => stdout.write(data),
            Output::File { file, .. } => file.as_file_mut().write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stdout(stdout) => stdout.flush(),
            Output::File { .. } => Ok(()),
        }
    }
}
