/** Codes of diagnostics, each with its severity. With `strict`, those marked with * are errors. */
export type DiagnosticCode =
  // Encoding
  /** info: The file starts with a byte order mark. Save it without one. */
  | 'bom'
  /** info: Lines end in CRLF. */
  | 'crlf'
  /** warning: NUL bytes of the file were ignored. Remove them. */
  | 'nul-bytes'
  /** error: The file contains bytes that are not UTF-8. They were replaced. Save it as UTF-8. */
  | 'not-utf8'
  /** warning: The file is encoded as UTF-16. Save it as UTF-8. */
  | 'utf16'
  /** error: The file is empty. Add frontmatter and instructions. */
  | 'empty-file'
  /**
   * warning, error: The file is very large (warning), or its frontmatter is longer than the limit and was cut (error).
   * Move text into separate files.
   */
  | 'too-large'
  // Fences
  /** info: A fence is not exactly `---`. Write `---` alone on its line. */
  | 'fence-trailing-blanks'
  /**
   * warning *: The frontmatter is between lines such as `+++`, `***` or `---yaml`. Write `---` above and below it, and
   * the fields as YAML.
   */
  | 'frontmatter-fence'
  /** warning *: Text before the frontmatter is read as instructions. Move it below the frontmatter. */
  | 'text-before-frontmatter'
  /** warning *: The frontmatter is inside a code block. Remove the code block. */
  | 'frontmatter-in-code-fence'
  /** warning *: The opening `---` is missing. Start the file with `---`. */
  | 'frontmatter-unopened'
  /**
   * warning *: The closing `---` is missing. The frontmatter ends at the first line that is not YAML. Add `---` after
   * the last field.
   */
  | 'frontmatter-unclosed'
  /** warning *: The file has no frontmatter. All of it is read as instructions. Add `name` and `description`. */
  | 'no-frontmatter'
  // YAML
  /**
   * error, warning: The frontmatter is not valid YAML (error), or one field is not and was read as text (warning).
   * Correct the line.
   */
  | 'yaml-error'
  /** warning: A value contains a colon and was read as text. Quote the value. */
  | 'yaml-unquoted-colon'
  /** warning: A line is indented with a tab, which was read as two spaces. Indent with spaces. */
  | 'yaml-tab'
  /** warning: A field has a full-width colon, which was read as a colon and a space. Write a colon and a space. */
  | 'yaml-full-width-colon'
  /** warning: Text behind ` #` in a description is a comment in YAML and was not read. Quote the value. */
  | 'yaml-comment'
  /**
   * warning: A value begins with a tag or an anchor of YAML, such as `!important` or `&amp;`. It was read as text.
   * Quote the value.
   */
  | 'yaml-tag'
  /** warning: A field is given twice. The last value is used. Remove one. */
  | 'yaml-duplicate-key'
  /** error: The frontmatter is nested too deeply. Use plain values. */
  | 'yaml-too-deep'
  /** error: The frontmatter uses too many, unknown or recursive aliases. Use plain values. */
  | 'yaml-alias-limit'
  /** error: The frontmatter is not a set of fields. Write each field on its own line. */
  | 'yaml-not-a-map'
  // Fields
  /** warning: A value has the wrong type. It was converted or ignored. Use the type that the message names. */
  | 'field-type'
  /** warning: A field is given in two spellings. Remove one. */
  | 'field-duplicate'
  /**
   * warning: More than 64 messages, a message of more than 300 characters, one that is also below `# not`, or `messages.txt` cannot be read
   * or has more than 64 KiB. Other messages are used. Keep the messages that differ most. info: A comment may be meant as a message below
   * `# not`.
   */
  | 'messages-ignored'
  /** warning: The name is missing. The folder or the first heading is used. Add `name`. */
  | 'name-inferred'
  /** warning: The description is missing. The first paragraph is used. Add `description`. */
  | 'description-inferred'
  /** error: The name is missing and cannot be inferred. Add `name`. */
  | 'name-missing'
  /** error: The description is missing and cannot be inferred. Add `description`. */
  | 'description-missing'
  /** warning *: The name is not 1-64 lowercase letters, digits and single hyphens. Rename the skill. */
  | 'name-invalid'
  /** warning *: The name differs from the folder name. Use the same name for both. */
  | 'name-not-folder'
  /** warning *: The description is longer than 1,024 characters. Move details into the instructions. */
  | 'description-length'
  /** warning *: `compatibility` is empty or longer than 500 characters. Shorten or remove it. */
  | 'compatibility-length'
  /** info *: `metadata` does not map strings to strings. Quote its values. */
  | 'metadata-not-strings'
  /** info *: `allowed-tools` is not one string. Write it on one line: `allowed-tools: Read Bash(git:*)`. */
  | 'allowed-tools-form'
  /**
   * error, warning: `validate --dialect` found that a field is missing that the agent system requires. Add the field.
   */
  | 'field-required'
  /**
   * warning, info *: The field is similar to a known field and is not read; or it is read, such as `Name` or
   * `allowed_tools`, but not by every system. Use the name in the hint.
   */
  | 'field-misspelled'
  /**
   * info *: Neither the specification nor Claude Code or OpenClaw defines the field. With `strict`, only the
   * specification counts. Move it under `metadata`.
   */
  | 'unknown-field'
  /** info: `version` is not two or three numbers. Use numbers such as `1.0.0`. */
  | 'version-not-semver'
  /** warning: The file has no instructions. Add instructions, step by step. */
  | 'empty-body'
  /** error: A SKILL.md or a file of a skill is a pointer of Git LFS, or a SKILL.md is the text of a link. Run `git lfs pull`, or check out links. */
  | 'file-not-there'
  /** warning: The name, the description and when to use the skill take more than 100 tokens. Shorten the description. */
  | 'metadata-large'
  /** warning: The instructions take more than 5,000 tokens. Move reference text into separate files. */
  | 'instructions-large'
  // Authoring, reported by `skillshelf validate`
  /**
   * warning: A link, or a path in `scripts/`, `references/` or `assets/`, names a file that does not exist, or one that
   * is left out: Git ignores it, or it is junk. Add the file, or correct the path.
   */
  | 'link-broken'
  /** warning: Text of a template was not replaced. Replace it, or remove it. */
  | 'placeholder-text'
  /** warning: Two skills of a folder have the same name, so the name alone opens neither. Rename one of them. */
  | 'name-duplicate'
  /**
   * warning: A skill differs little from another one of the same name. Make them equal, so that they are one skill, or
   * rename or remove one.
   */
  | 'skill-near-copy'
  /**
   * warning: The same trigger is claimed for two skills, as one of their messages or in `triggers.yaml`. Keep one, or
   * accept both with `skill: [one, other]`.
   */
  | 'trigger-conflict'
  /**
   * warning: A skill requires one that is not here. `validate` and `pack` report it. Add that skill; name programs and
   * packages in `compatibility`.
   */
  | 'required-missing'
  /**
   * warning: Skills require each other in a circle. Each is opened once. Move what both need into a skill of its own.
   */
  | 'required-circle'
  // Catalog
  /** warning: A folder has both `SKILL.md` and `skill.md`. One is used. Remove one. */
  | 'two-skill-files'
  /** info: The skill has `enabled: false` and is not listed. */
  | 'skill-disabled'
  /**
   * error: The skill cannot be used and is not listed. Add a name and a description. Pack a packed library again;
   * publish again to a search engine.
   */
  | 'skill-left-out'
  /** error: A file of the skill cannot be read. Check its permissions. */
  | 'skill-unreadable'
  /**
   * warning, info: A skill of the same name in an earlier source takes precedence. It is an info if both have the same
   * SKILL.md. Open it by its id, or rename one.
   */
  | 'skill-shadowed'
  /** info: The skill is in several folders, with the same files. It is listed once. */
  | 'skill-copy'
  /** warning: The names of two skills differ only by characters that readers do not see. Rename one of them. */
  | 'name-confusable'
  /** warning: Two sources have the same name. One was renamed to keep ids unique. Give each source its own `name`. */
  | 'origin-renamed'
  /** error: A path of the source is not safe and was ignored. Rename the file or its folder. */
  | 'path-refused'
  /**
   * warning: The skill has `internal: true` under `metadata`, so it is not published. To publish it, pass `--internal`
   * or `internal: true`.
   */
  | 'skill-internal'
  /**
   * error: A file looks like a private key, a token or a file of passwords. It is not served. Remove it, or name it
   * with `--allow` or `allow`.
   */
  | 'secret-left-out'
  /** error: Nothing exists at the address of the source. Check the address. */
  | 'source-missing'
  /**
   * error: The source cannot be read. After a refresh, it keeps its last skills. Check the network. Set `timeout` if
   * the source is slow. Call `library.refresh()`.
   */
  | 'source-unreadable'
  /** error: A refresh found an untrusted library. The source keeps its last skills. Ask its publisher. */
  | 'source-untrusted'
  /**
   * warning: A piece of a library cannot be read, so the library was read whole. Pack the skills again, and upload
   * every file.
   */
  | 'pieces-unreadable'
  /**
   * warning: The store of an offline copy failed. The copy is in memory, and the skills are available. Allow the site
   * to store data, or free space.
   */
  | 'copy-not-stored'
  /**
   * warning: The library has no skill. Reported to `onDiagnostic` only. Check the address, the path or the glob
   * pattern.
   */
  | 'library-empty'
  /**
   * warning: The environment of `openLibrary` or `library.use` has no skills. Use one of the similar names, or add
   * skills in `environments/{name}/skills`.
   */
  | 'environment-unknown'
  /**
   * warning: A segment of a packed library is damaged, of another version, or does not belong to the catalog. It was
   * rebuilt from the skills. Pack again.
   */
  | 'segment-rebuilt'
  /**
   * warning: A segment has no vectors of the embedder. Its skills are matched by keywords only. Pack again without
   * `--no-meaning`.
   */
  | 'vectors-missing'
  /**
   * warning: Packed vectors of a transformer are of another one, damaged or missing. The library embeds the skills
   * itself. Pack again with the transformer that the page loads, and upload every file.
   */
  | 'vectors-ignored'
  // Publishing
  /** warning: The skill is published under another name. Rename it as the hint says. */
  | 'published-name'
  /** info: The published description was shortened or inferred. Shorten or add the description. */
  | 'published-description'
  /**
   * warning: Some clients cannot install the published skill. Correct the frontmatter, or shorten the names of files.
   */
  | 'published-partly'
  /** warning: The published skill exceeds the limits of some clients. Host large files elsewhere and link to them. */
  | 'published-large'
  /**
   * info: Clients of the MCP Skills extension refuse the skill. Tools, resources and prompts serve it. Correct the
   * field that the message names.
   */
  | 'mcp-left-out'
  // Models
  /**
   * warning: `library.enrich` got no usable messages for a skill. The skill is found by its other words. Call it again,
   * or use another model.
   */
  | 'messages-not-written'
  /** warning: A model failed to load. Matching works without it. Load it again later. */
  | 'model-unavailable'
  // Learning
  /**
   * warning: Learned messages could not be read, or some are damaged. Matching works without them. Import a backup with
   * `library.importLearned`.
   */
  | 'learned-unreadable'
