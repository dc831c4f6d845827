import { list, table } from './programs.js'

/** Options of programs, and subcommands of git, that run commands. As in `programs.ts`, the kinds are public, the table is our own. */

/** Options that run a command, load code, or write to a file. Abbreviations of long ones count, and letters in clusters of short ones. */
export interface OptionRule {
  long?: readonly string[]
  short?: string
  /** Other words that it must not have. */
  words?: RegExp
}

/** A subcommand of git. */
export interface GitCommand extends OptionRule {
  /** The first words that it may have, for a subcommand with commands of its own. */
  commands?: readonly string[]
  /** It takes addresses: `ext::…`, or a host such as `-oProxyCommand=…`, runs a command. */
  isRemote?: boolean
}

/** Other programs with options that run a command, load code, or write where another program runs it. */
export const PROGRAM_OPTIONS: ReadonlyMap<string, OptionRule> = new Map<string, OptionRule>([
  ['find', { long: list('exec execdir ok okdir fprint fprint0 fprintf fls files0-from') }],
  ...table('fd fdfind', { long: list('exec exec-batch'), short: 'xX' }),
  ...table('tar gtar bsdtar', {
    long: list(
      'to-command checkpoint-action checkpoint use-compress-program rsh-command rmt-command info-script new-volume-script files-from',
    ),
    short: 'IFT',
    // An archive on another machine.
    words: /^[^/]+:/,
  }),
  ['cpio', { long: list('rsh-command'), short: 'F' }],
  ['rsync', { long: list('rsh rsync-path daemon config files-from'), short: 'eM' }],
  ['zip', { long: list('unzip-command test'), short: 'T' }],
  ...table('rg ripgrep', { long: list('pre hostname-bin') }),
  ...table('ag ack', { long: list('pager ackrc output') }),
  ['sort', { long: list('compress-program files0-from output'), short: 'o' }],
  ['split', { long: list('filter') }],
  ['install', { long: list('strip-program') }],
  [
    'curl',
    {
      long: list(
        'config engine libcurl output output-dir remote-name dump-header cookie-jar trace stderr etag-save hsts alt-svc',
      ),
      short: 'KoODc',
    },
  ],
  [
    'wget',
    {
      long: list(
        'use-askpass execute config output-document output-file append-output directory-prefix input-file save-cookies warc-file hsts-file',
      ),
      short: 'eOoiaP',
    },
  ],
  [
    'pandoc',
    {
      long: list('filter lua-filter pdf-engine pdf-engine-opt defaults'),
      short: 'FLd',
      words: /\.lua$/,
    },
  ],
  ...table('gcc g++ cc c++ clang clang++ ld tcc', {
    long: list('wrapper specs fplugin plugin'),
    short: 'B',
    words: /^@/,
  }),
  ...table('pdflatex xelatex latex pdftex tex luahbtex latexmk', {
    long: list('shell-escape enable-write18 output-directory pdflatex latex'),
    short: 'reo',
  }),
  ['openssl', { long: list('engine provider provider-path config') }],
  ...table('gpg gpg2', {
    long: list(
      'agent-program dirmngr-program pinentry-program photo-viewer keyserver-options options',
    ),
  }),
  ['date', { long: list('file'), short: 'f' }],
  ['printf', { short: 'v' }],
  ['exiftool', { long: list('if config api p printFormat execute'), words: /^-@/ }],
  ['gs', { words: /^-(?:dNOSAFER|c$|sOutputFile=%)|%pipe%/ }],
  ...table('convert magick mogrify identify composite montage', {
    long: ['script'],
    words: /^(?:msl|mvg|ephemeral|https?|epi|pipe):/i,
  }),
  ...table('soffice libreoffice', { words: /^(?:macro|vnd\.sun\.star\.script):|^-env:/i }),
  ...table('chrome chromium chromium-browser google-chrome msedge', {
    long: list(
      'gpu-launcher renderer-cmd-prefix utility-cmd-prefix browser-subprocess-path load-extension',
    ),
  }),
  // Checkers and builders that load code which an option names.
  ...table('eslint stylelint', {
    long: list(
      'config rulesdir resolve-plugins-relative-to format formatter custom-formatter custom-syntax parser',
    ),
    short: 'cf',
  }),
  ...table('prettier markdownlint markdownlint-cli2 remark rubocop rspec phpunit', {
    long: list('config require rules bootstrap use'),
    short: 'cru',
  }),
  ...table('pylint flake8 mypy ruff black isort', {
    long: list('config init-hook load-plugins rcfile config-file python-executable'),
  }),
  ...table('webpack vite rollup esbuild tsup sphinx-build mkdocs marp mmdc', {
    long: list('config plugin theme-set engine configPlugin puppeteerConfigFile config-file'),
    short: 'cpf',
  }),
  ['rustc', { long: list('codegen'), short: 'C' }],
  ['javac', { long: list('processor processorpath'), short: 'J', words: /^@/ }],
  ['fzf', { long: list('preview bind') }],
  ['ctags', { long: list('options _xformat') }],
  ['plantuml', { long: list('graphvizdot') }],
  ...table('svn hg cvs', { long: list('config config-option diff-cmd editor-cmd'), short: 'e' }),
  ['jq', { long: list('library-path'), short: 'L' }],
  [
    'yt-dlp',
    {
      long: list(
        'exec downloader external-downloader config-locations use-postprocessor ffmpeg-location netrc-cmd plugin-dirs output paths',
      ),
      short: 'oP',
    },
  ],
  ['aria2c', { long: ['conf-path'], words: /^--on-/ }],
])

const REMOTE = { isRemote: true }

/** Subcommands of git that run nothing by an argument. Others are refused, because an alias may run any command. */
export const GIT_COMMANDS: ReadonlyMap<string, GitCommand> = new Map<string, GitCommand>([
  ...table(
    'add am apply annotate blame branch check-attr check-ignore check-mailmap checkout cherry clean commit count-objects',
    {},
  ),
  ...table(
    'describe for-each-ref fsck gc hash-object ls-files ls-tree merge-base mv name-rev notes reflog reset restore rev-parse',
    {},
  ),
  ...table(
    'rm shortlog show-branch show-ref sparse-checkout stash status switch symbolic-ref tag worktree cat-file verify-commit',
    {},
  ),
  ...table('verify-tag prune repack pack-refs write-tree commit-tree read-tree update-index', {}),
  ...table(
    'log show diff diff-tree diff-index diff-files rev-list whatchanged range-diff format-patch',
    {
      long: list('output ext-diff'),
    },
  ),
  ['grep', { long: ['open-files-in-pager'], short: 'O' }],
  ['archive', { long: list('exec remote output'), short: 'o', ...REMOTE }],
  ['bisect', { commands: list('start good bad new old reset skip log terms next') }],
  ['submodule', { commands: list('status init sync summary update'), ...REMOTE }],
  [
    'config',
    {
      commands: list('--get --get-all --get-regexp --list -l get list'),
      long: list('edit add replace-all unset'),
      short: 'e',
    },
  ],
  ['init', { long: ['template'] }],
  ['clone', { long: list('upload-pack config template bundle-uri'), short: 'uc', ...REMOTE }],
  ['fetch', { long: ['upload-pack'], ...REMOTE }],
  ['ls-remote', { long: list('upload-pack exec'), ...REMOTE }],
  ['pull', { long: list('upload-pack strategy'), short: 's', ...REMOTE }],
  ['push', { long: list('receive-pack exec'), ...REMOTE }],
  ['remote', REMOTE],
  ['merge', { long: ['strategy'], short: 's' }],
  ['rebase', { long: list('exec strategy'), short: 'xs' }],
  ...table('cherry-pick revert', { long: ['strategy'] }),
])

/** Options of git before its subcommand that change nothing. */
export const GIT_OPTIONS: ReadonlySet<string> = new Set(
  list('--no-pager --no-optional-locks --literal-pathspecs -P --version -v --help'),
)

/** Parts of the names of options that run commands in many programs. */
export const SUSPICIOUS_PARTS: ReadonlySet<string> = new Set(
  list(
    'exec execute execdir command cmd shell rsh eval program wrapper plugin hook pager editor browser preprocessor askpass proxycommand pack',
  ),
)
