//! What a name alone tells: secrets, binaries, files written by machines, folders that builds leave behind.

use std::path::Path;

use jari_base::Skip;

/// Endings of files that are never text.
const BINARY: &[&str] = &[
    "7z",
    "a",
    "avi",
    "avif",
    "bin",
    "bmp",
    "bz2",
    "class",
    "dat",
    "db",
    "dll",
    "dylib",
    "eot",
    "exe",
    "flac",
    "gif",
    "gz",
    "heic",
    "icns",
    "ico",
    "jar",
    "jpeg",
    "jpg",
    "lib",
    "lz4",
    "mo",
    "mov",
    "mp3",
    "mp4",
    "npy",
    "npz",
    "o",
    "obj",
    "ogg",
    "onnx",
    "otf",
    "parquet",
    "pdf",
    "png",
    "psd",
    "pyc",
    "pyo",
    "rar",
    "rlib",
    "rmeta",
    "safetensors",
    "so",
    "sqlite",
    "sqlite3",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webp",
    "whl",
    "woff",
    "woff2",
    "xz",
    "zip",
    "zst",
];

/// Names under which keys and passwords are kept.
const SECRET_NAMES: &[&str] = &[
    ".boto",
    ".dockercfg",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".terraformrc",
    ".vault-token",
    "application_default_credentials.json",
    "client_secret.json",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "credentials.yaml",
    "credentials.yml",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "kubeconfig",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
    "service_account.json",
    "serviceaccountkey.json",
];

/// Endings of key stores and private keys.
const SECRET_ENDINGS: &[&str] =
    &["env", "jks", "kdbx", "key", "keystore", "p12", "p8", "pem", "pfx", "ppk", "tfstate", "tfvars"];

/// Files of secrets whose name alone says nothing.
const SECRET_PATHS: &[&str] = &[".docker/config.json"];

/// Files that package managers and code generators write under known names.
const GENERATED_NAMES: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "Package.resolved",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "flake.lock",
    "go.sum",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

/// Endings that code generators use.
const GENERATED_ENDINGS: &[&str] = &[
    ".designer.cs",
    ".freezed.dart",
    ".g.cs",
    ".g.dart",
    ".map",
    ".pb.cc",
    ".pb.go",
    ".pb.h",
    "_pb2.py",
    "_pb2.pyi",
];

/// Endings that minifiers use.
const MINIFIED_ENDINGS: &[&str] = &[".min.css", ".min.js", ".min.mjs"];

/// Folders that are never part of a project's own text.
const ALWAYS_OUT: &[&str] = &[".git", ".hg", ".jari", ".svn"];

/// Folders in which tools keep their keys.
const SECRET_FOLDERS: &[&str] = &[".aws", ".azure", ".gnupg", ".kube", ".ssh"];

/// Folders that tools fill; left out where no Git says so.
const TOOL_FOLDERS: &[&str] = &[
    ".cache",
    ".dart_tool",
    ".eggs",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".terraform",
    ".tox",
    ".venv",
    "DerivedData",
    "Pods",
    "__pycache__",
    "bower_components",
    "node_modules",
    "venv",
];

/// Folders that builds fill, if the file that builds them stands beside.
const BUILD_FOLDERS: &[(&str, &[&str])] = &[
    (
        "build",
        &["CMakeLists.txt", "build.gradle", "build.gradle.kts", "package.json", "pubspec.yaml", "setup.py"],
    ),
    ("dist", &["package.json", "pyproject.toml", "setup.py"]),
    ("out", &["package.json", "build.gradle"]),
    ("target", &["Cargo.toml", "pom.xml", "build.sbt"]),
];

/// Why a file at this path below the root is not even opened. The folders are not looked at: a walk does not enter closed ones.
pub(crate) fn skip_at(path: &str) -> Option<Skip> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folders.rsplit('/').next().unwrap_or_default();
    let is_secret = SECRET_PATHS.iter().any(|secret| {
        let (secret_folder, secret_name) = secret.split_once('/').expect("each is a folder and a name");
        folder.eq_ignore_ascii_case(secret_folder) && name.eq_ignore_ascii_case(secret_name)
    });
    if is_secret { Some(Skip::Secret) } else { skip(name) }
}

/// Why a file of this name is not even opened.
fn skip(name: &str) -> Option<Skip> {
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    let secret = lower.starts_with(".env")
        || SECRET_NAMES.contains(&lower.as_str())
        || SECRET_ENDINGS.contains(&ending);
    if secret {
        Some(Skip::Secret)
    } else if BINARY.contains(&ending) {
        Some(Skip::Binary)
    } else if MINIFIED_ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        Some(Skip::Minified)
    } else if GENERATED_NAMES.contains(&name)
        || GENERATED_ENDINGS.iter().any(|ending| lower.ends_with(ending))
    {
        Some(Skip::Generated)
    } else {
        None
    }
}

/// The same for a path below the root: what lies in a folder that no walk enters is a secret, for it was never meant to be shown.
pub fn skip_by_path(path: &str) -> Option<Skip> {
    let (folders, _) = path.rsplit_once('/').unwrap_or_default();
    let hidden = folders.split('/').any(|folder| is_always_out(&folder.to_ascii_lowercase()));
    if hidden { Some(Skip::Secret) } else { skip_at(path) }
}

/// Whether a folder is version control's or ours, or holds keys.
pub(crate) fn is_always_out(name: &str) -> bool {
    ALWAYS_OUT.contains(&name) || SECRET_FOLDERS.contains(&name)
}

/// Whether a folder holds what tools made, told without Git's help.
pub(crate) fn is_derived(folder: &Path, name: &str) -> bool {
    TOOL_FOLDERS.contains(&name)
        || BUILD_FOLDERS.iter().any(|(build, beside)| {
            *build == name && beside.iter().any(|file| folder.with_file_name(file).is_file())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_is_not_opened() {
        for name in [
            ".env",
            ".env.local",
            "prod.env",
            "server.pem",
            "AuthKey.p8",
            "id_rsa",
            "ID_RSA",
            ".npmrc",
            "credentials.json",
            "credentials.toml",
            "serviceAccountKey.json",
        ] {
            assert_eq!(skip(name), Some(Skip::Secret), "{name}");
        }
        for path in
            [".git/config", "sub/.ssh/config", ".azure/app/x", ".SSH/config", ".jari/store.db", "a/.env"]
        {
            assert_eq!(skip_by_path(path), Some(Skip::Secret), "{path}");
        }
        for path in [".docker/config.json", "home/.docker/Config.json"] {
            assert_eq!(skip_at(path), Some(Skip::Secret), "{path}");
        }
        for path in [".docker/Dockerfile", "docker/config.json", "config.json"] {
            assert_eq!(skip_by_path(path), None, "{path}");
        }
        assert_eq!(skip("logo.PNG"), Some(Skip::Binary));
        assert_eq!(skip("app.min.js"), Some(Skip::Minified));
        assert_eq!(skip("Cargo.lock"), Some(Skip::Generated));
        for name in ["main.rs", "environment.py", "keys.ts", "Makefile"] {
            assert_eq!(skip(name), None, "{name}");
        }
    }

    #[test]
    fn lists_are_sorted() {
        assert!(BINARY.is_sorted() && SECRET_NAMES.is_sorted() && SECRET_ENDINGS.is_sorted());
        assert!(GENERATED_NAMES.is_sorted() && GENERATED_ENDINGS.is_sorted() && TOOL_FOLDERS.is_sorted());
    }
}
