/**
 * Programs that run other commands, and how. The kinds are those that public lists such as GTFOBins and LOLBAS collect; the table is our own.
 * A program that is not here runs what its name says; options of it with names such as `--exec` are refused.
 */

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

const list = (text: string): string[] => text.trim().split(/\s+/)
const table = <Value>(names: string, value: Value): [string, Value][] =>
  list(names).map(name => [name, value])

/** Programs that run what any of their arguments, their input or their configuration says. No prefix allows them. */
export const ALWAYS_RUN: ReadonlySet<string> = new Set(
  list(`
    . source eval trap alias unalias enable hash bind complete compgen mapfile readarray read export declare typeset local readonly
    set unset shopt fc let coproc jobs history if then elif else for while until case select function do { } [[ ! time
    xargs parallel entr watch timeout flock script expect strace ltrace gdb lldb perf valgrind rlwrap stdbuf taskset chrt ionice
    unshare nsenter chroot setarch su sg runuser pkexec systemd-run systemctl service journalctl crontab at batch ssh sshpass sftp
    scp mosh telnet ftp lftp ncftp psftp socat nc ncat netcat tmux tmate screen busybox toybox capsh start-stop-daemon run-parts
    aa-exec choom cpulimit genie grc logsave multitime pexec softlimit torify torsocks tsocks proxychains proxychains4 ssh-agent
    ssh-keygen ip busctl bpftrace dmsetup virsh openvpn mail mailx run-mailcap msgfilter cowsay cowthink enscript distcc facter
    open xdg-open gio start explorer code vi vim nvim rvim view ex ed emacs joe nano pico vipw less more most pg man lynx w3m
    links info mysql mariadb psql sqlite sqlite3 mongo mongosh redis-cli cmd wscript cscript mshta rundll32 regsvr32 msbuild
    installutil certutil bitsadmin wmic forfiles ansible ansible-playbook terraform vagrant packer puppet chef knife salt nix
    nix-shell nix-env guix msfconsole sqlmap nmap hping3 iftop tcpdump scanmem volatility xdotool zathura gimp dosbox
    lualatex luatex texlua dvips
  `),
)

/** Programs that run the command after them. A prefix allows them only if it spells that command. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  list(
    'sudo doas env nohup nice setsid command exec builtin npx bunx uvx pnpx xvfb-run caffeinate winpty',
  ),
)

/** Programs that run a script or a program text. A prefix allows them only if it spells that script, or its folder. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  list(`
    sh bash dash zsh ksh ash fish csh tcsh elvish nu pwsh powershell python pypy ipython node nodejs tsx ts-node ruby jruby irb
    perl raku php lua luajit rscript r julia java jshell kotlin kotlinc scala groovy clojure swift osascript tclsh wish guile racket sbcl
    ghci runghc elixir iex erl escript octave matlab gnuplot awk gawk mawk nawk sed m4 jrunscript dotnet-script bc dc
    pytest py.test tox nox behave robot jest mocha vitest ava playwright cypress
  `),
)

/** A program with subcommands that build, install or run. */
export interface Runner {
  /** Subcommands that run nothing. Others must be spelled by the prefix. */
  harmless?: readonly string[]
  /** Subcommands that run the next word, or install what it names: that word must be spelled too. */
  taking?: readonly string[]
  /** Subcommands that no prefix allows, because the command that they run comes later. */
  never?: readonly string[]
}

const NODE_TAKING = list(`
  exec x dlx install i in ins add ci update up upgrade init create innit explore link ln rebuild it cit node node-gyp config set
`)
const NODE_HARMLESS = list(
  'ls list ll la view info show outdated search ping whoami prefix root why licenses',
)

export const RUNNERS: ReadonlyMap<string, Runner> = new Map<string, Runner>([
  ['npm', { harmless: NODE_HARMLESS, taking: NODE_TAKING }],
  // Their `run` also runs programs.
  ...table('pnpm yarn', {
    harmless: NODE_HARMLESS,
    taking: [...NODE_TAKING, 'run', 'workspace', 'workspaces', 'foreach'],
  }),
  ...table('bun deno', {
    taking: list(
      'run x exec eval repl create install i add update upgrade init test build serve task jupyter',
    ),
  }),
  ...table(
    'make gmake bmake ninja just task rake ant gradle gradlew mvn mvnw bazel buck scons invoke fab grunt gulp',
    {},
  ),
  ...table('cmake ctest meson xcodebuild', {}),
  ...table('cargo rustup', {
    harmless: list('tree search metadata locate-project version'),
    taking: list('install run r add miri'),
  }),
  ...table('go', {
    harmless: list('version list doc'),
    taking: list('run generate install get tool'),
  }),
  ...table('dotnet', { taking: list('run exec tool add new') }),
  ...table('pip pipx conda mamba micromamba', {
    harmless: list('list show freeze check search info'),
    taking: list('install run runpip download wheel inject create update exec'),
  }),
  ...table('uv poetry pipenv hatch pdm rye', {
    harmless: list('show version'),
    taking: list('run tool x add pip sync install script env python self shell init'),
  }),
  ...table('gem bundle bundler composer', {
    harmless: list('list show info outdated search'),
    taking: list('install exec update require add global run-script create-project runtime'),
  }),
  ...table(
    'brew apt apt-get aptitude dnf yum zypper pacman apk snap flatpak port choco winget scoop dpkg rpm',
    {
      harmless: list('list search info show'),
      taking: list('install reinstall upgrade update remove purge source build-dep'),
      never: list('run sh shell'),
    },
  ),
  ...table('docker podman nerdctl', {
    harmless: list('ps images logs inspect version info port diff history search top'),
    never: list(
      'run exec compose build buildx create start plugin container image cp load import system context',
    ),
  }),
  ...table('kubectl oc', {
    harmless: list('get describe logs top explain version api-resources api-versions'),
    never: list('exec run debug plugin edit apply create cp attach config proxy port-forward krew'),
  }),
  ...table('helm', {
    harmless: list('list ls status history version'),
    never: list('plugin install upgrade template'),
  }),
  ...table('gh glab', {
    never: list('alias extension ext codespace cs repo gist auth browse config'),
  }),
  ...table('aws gcloud az', { never: list('ssh compute configure cloud-shell ssm interactive') }),
])

/** Options that change nothing of what is run, whichever program has them. Other options of runners are refused before `--`. */
export const HARMLESS_OPTIONS: ReadonlySet<string> = new Set(
  list(`
    -q --quiet --silent -v --verbose -h --help -V --version --if-present --workspaces --json --color --no-color --dry-run --release
    --all --all-targets --all-features --watch --coverage --check --ci --depth --no-cache --tail --follow --limit --state
  `),
)

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
  ...table('ag ack', { long: list('pager') }),
  ['sort', { long: list('compress-program files0-from'), short: 'o' }],
  ['split', { long: list('filter') }],
  ['install', { long: list('strip-program') }],
  ['curl', { long: list('config engine libcurl output output-dir remote-name'), short: 'KoO' }],
  [
    'wget',
    {
      long: list('use-askpass execute config output-document output-file input-file'),
      short: 'eOoi',
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
