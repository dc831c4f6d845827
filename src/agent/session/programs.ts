/**
 * Programs that run other commands, and how. The kinds are those that public lists such as GTFOBins and LOLBAS collect; the table is our own.
 * A program that is not here runs what its name says; options of it with names such as `--exec` are refused.
 */

export const list = (text: string): string[] => text.trim().split(/\s+/)
export const table = <Value>(names: string, value: Value): [string, Value][] =>
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
    lualatex luatex texlua dvips duckdb emacsclient vimdiff nvimdiff zx hyperfine concurrently nodemon watchexec entr blender
    godot mutool start-process invoke-expression invoke-command foreach-object invoke-item iwr msiexec wine wine64 wasmtime
    wasmer celery papermill streamlit gunicorn uvicorn flask rails django-admin
  `),
)

/** Programs that run the command after them. A prefix allows them only if it spells that command. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  list(
    `sudo doas env nohup nice setsid command exec builtin npx bunx uvx pnpx xvfb-run caffeinate winpty
    bear ccache sccache catchsegv fakeroot firejail bwrap dbus-run-session dumb-init tini gosu su-exec unbuffer
    dotenv cross-env cross-env-shell dotenvx linux32 linux64 i386 x86_64 runcon pkgx arch`,
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
  ...table('mise rtx asdf direnv volta fnm nvm rbenv pyenv nodenv jj', {
    harmless: list('ls list current which where status log diff show'),
    never: list('exec x run shell sh env activate eval use install plugin util'),
  }),
  ...table('aws gcloud az', { never: list('ssh compute configure cloud-shell ssm interactive') }),
])

/** First words of programs that are not here, as in `op run` or `nx exec`: what follows is run, so the pattern must spell them. */
export const RUNNING_WORDS: ReadonlySet<string> = new Set(
  list('run exec shell sh eval console runner script repl try-repo'),
)

/** Programs whose first word is a value, as in `grep run`. */
export const PLAIN_PROGRAMS: ReadonlySet<string> = new Set(
  list(`
    echo printf cat ls grep egrep fgrep rg ripgrep ag cd mkdir rmdir touch which whereis type head tail wc cut tr uniq sort cp mv rm ln
    stat file du df basename dirname realpath readlink pwd test [ true false date diff cmp tee chmod chown kill ps pgrep md5sum
    sha256sum tree unzip gzip gunzip
  `),
)

/** Loaders and emulators, which run the program that is their argument: `/lib64/ld-linux-x86-64.so.2`, `qemu-arm`. */
export const LOADERS = /^(?:ld[.-]|qemu-)/

/** Modules of Python that run a script or a command. As a program, such as `python -m pip`, others are what their name says. */
export const RUNNING_MODULES: ReadonlySet<string> = new Set(
  list(
    'timeit pdb cProfile profile trace runpy doctest unittest coverage code IPython ipykernel idlelib',
  ),
)

/** Options that change nothing of what is run, whichever program has them. Other options of runners are refused before `--`. */
export const HARMLESS_OPTIONS: ReadonlySet<string> = new Set(
  list(`
    -q --quiet --silent -v --verbose -h --help -V --version --if-present --workspaces --json --color --no-color --dry-run --release
    --all --all-targets --all-features --watch --coverage --check --ci --depth --no-cache --tail --follow --limit --state
  `),
)
