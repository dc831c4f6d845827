import { describe, expect, it } from 'vitest'
import { approvesCall } from '../../src/agent/session/allowed-tools.js'

const allows = (pattern: string, command: string): boolean => {
  const tool = /^[^(]+/.exec(pattern)?.[0] ?? ''
  return approvesCall([pattern], tool, command)
}

/** Arguments that leave the command of a prefix, whichever command it is. */
const LEAVING = [
  ...[
    '; rm x',
    '&& rm x',
    '|| rm x',
    '& rm x',
    '| sh',
    '> ~/.bashrc',
    '>> x',
    '2>x',
    '< /etc/passwd',
    '<<< x',
    '\n rm x',
  ],
  ...[
    '\r rm x',
    '$(rm x)',
    '"$(rm x)"',
    '`rm x`',
    '"`rm x`"',
    '<(rm x)',
    '>(rm x)',
    '=(rm x)',
    '*(e:rm x:)',
    '(rm x)',
  ],
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: a shell expands it.
  ...[
    '${x@P}',
    '${x:=rm}',
    '$x',
    '"$x"',
    '$IFS',
    'a$IFS-c',
    '$1',
    '$@',
    '$_',
    'a$BASH_COMMAND',
    "$'a'",
    '$"a"',
    '$[1]',
  ],
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: a shell expands it.
  ...[
    '{a,b}',
    'a{b,c}',
    'a{1..3}',
    '*',
    '?x',
    '[-]c',
    '-*',
    '--up*',
    '^x',
    '~[x]',
    '=rm',
    '!!',
    '!rm',
    '"!rm"',
    "'a",
    '"a',
    'a\\',
  ],
  ...["'a\\' b'", 'a\u00a0b', 'a\u2028b', 'a\u0000b', 'a\u001bb'],
]

const GIT = [
  ...[
    '-c core.sshCommand=x fetch',
    '-ccore.pager=x log',
    '--config-env=a=B log',
    '--exec-path=/x log',
    '--git-dir=/x log',
  ],
  ...[
    '--work-tree=/x log',
    '--namespace=x log',
    '--super-prefix=x log',
    '-p log',
    '--paginate log',
    '-C . -c a=b log',
    '-C "a b" log',
  ],
  ...[
    'fetch --upload-pack=x',
    'fetch --upload-pack x y',
    'fetch --upload-pa=x',
    'fetch "--upload-pack=x"',
    "fetch --upl'oad-pack'=x",
  ],
  ...[
    'fetch \\--upload-pack=x',
    'fetch $HOME--upload-pack=x',
    'clone -u x y',
    'clone -c a=b y',
    'clone --config=a=b y',
    'clone -vu x y',
  ],
  ...[
    'clone --template=x y',
    'clone ext::x',
    'clone -- -oProxyCommand=x:y z',
    'clone ssh://-oProxyCommand=x/y',
    'log --ext-diff',
    'remote add o ext::x',
    'push --receive-pack=x',
    'push --exec=x',
    'pull --upload-pack=x',
  ],
  ...[
    'ls-remote --upload-pack=x',
    'ls-remote --exec=x',
    'archive --exec=x --remote=y',
    'submodule foreach x',
    'submodule -q foreach x',
  ],
  ...[
    'submodule --quiet foreach --recursive x',
    'submodule add x',
    'submodule --recursive',
    'bisect run x',
    'bisect visualize x',
  ],
  ...[
    'rebase --exec x',
    'rebase -x x',
    'rebase -ix x',
    'rebase --exe=x',
    'rebase -s x',
    'grep -O x',
    'grep -Ox',
    'grep -nOx',
    'grep --open=x',
  ],
  ...[
    'grep --open-files-in-pager=x',
    'difftool -x x',
    'difftool --extcmd=x',
    'mergetool',
    'filter-branch --tree-filter x',
    'config a.b x',
  ],
  ...[
    'config alias.x !y',
    'config --global core.pager x',
    'config -e',
    'config --get a --add b',
    'init --template=x',
    'for-each-repo --config=a b',
  ],
  ...[
    'send-email --smtp-server=x',
    'instaweb',
    'daemon',
    'maintenance start',
    'credential fill',
    'lfs pull',
    'x',
    'x-y',
    'help -w',
    'svn clone x',
  ],
  ...[
    'log --output=.git/hooks/x',
    'diff --output x',
    'merge -s x',
    'merge --strategy=x',
    'cherry-pick --strategy x',
    'fast-import',
    'var x',
  ],
]

/** Calls that run another command: a pattern and arguments. */
const RUNNING: readonly (readonly [pattern: string, commands: readonly string[]])[] = [
  [
    'find:*',
    [
      'find . -exec rm x',
      'find . -execdir rm',
      'find . -ok rm',
      'find . "-exec" rm',
      'find . -fprintf x y',
      'find . -fls x',
    ],
  ],
  [
    'fd *',
    ['fd -x rm', 'fd -e txt -x rm', 'fd --exec rm', 'fd -X rm', 'fd --exec-batch rm', 'fd -HX rm'],
  ],
  [
    'tar:*',
    [
      'tar xf a --to-command=x',
      'tar cf a b --checkpoint=1 --checkpoint-action=exec=x',
      'tar cIf x a',
      'tar -cIf x a',
      'tar -I x -cf a',
    ],
  ],
  [
    'tar *',
    [
      'tar xf a --use-compress-prog=x',
      'tar cf a --rsh-command=x',
      'tar xFf x a',
      'tar xf a -T x',
      'tar xf host:a',
    ],
  ],
  [
    'rsync *',
    ['rsync -e x a b', 'rsync -ave x a b', 'rsync --rsh=x a b', 'rsync --rsync-path=x a b'],
  ],
  ['ssh:*', ['ssh -o ProxyCommand=x y', 'ssh host x', 'ssh -F x y']],
  ['scp *', ['scp -S x a b', 'scp -oProxyCommand=x a b']],
  ['ssh host *', ['ssh host x']],
  ...['sh', 'bash', 'zsh', 'busybox', 'pwsh'].map(
    name => [`${name}:*`, [`${name} -c x`, `${name} x.sh`, `${name} -x x`]] as const,
  ),
  ['bash -c *', ['bash -c x', 'bash -c "x y"']],
  ['sudo *', ['sudo rm x', 'sudo -u a rm', 'sudo -s', 'sudo A=b rm']],
  ['sudo -u root *', ['sudo -u root rm x']],
  ['env:*', ['env rm x', 'env A=b rm', 'env -S "rm x"', 'env -i sh']],
  ['sudo git *', ['sudo git -c a=b log', 'sudo git bisect run x']],
  ['sudo find *', ['sudo find . -exec rm']],
  ['timeout 5 *', ['timeout 5 rm x']],
  ['nice *', ['nice rm', 'nice -n 5 rm']],
  ...'xargs parallel watch eval exec command builtin source . trap time nohup setsid stdbuf strace script expect ip gdb vim less man'
    .split(' ')
    .map(name => [`${name} *`, [`${name} rm x`, `${name} -n 1 rm`]] as const),
  ['xargs grep *', ['xargs grep x']],
  ...[
    'awk',
    'gawk',
    'sed',
    'perl',
    'ruby',
    'php',
    'lua',
    'node',
    'python',
    'python3',
    'python3.11',
    'Rscript',
    'osascript',
  ].map(
    name =>
      [
        `${name}:*`,
        [
          `${name} -e x`,
          `${name} -c x`,
          `${name} x`,
          `${name} 'BEGIN{system("x")}'`,
          `${name} -f x`,
        ],
      ] as const,
  ),
  ['python -W ignore *', ['python -W ignore -c x', 'python -W ignore x.py']],
  ['python -m *', ['python -m x']],
  ['python -m pytest *', ['python -m pytest x', 'python -m pytest -p x']],
  ['python -m pip *', ['python -m pip install x']],
  ['python -m timeit *', ['python -m timeit x']],
  ['NODE_ENV=test *', ['NODE_ENV=test rm x']],
  ...'hyperfine firejail bear gosu nodemon cross-env wine qemu-arm ld.so duckdb emacsclient flask /lib64/ld-linux-x86-64.so.2 linux64'
    .split(' ')
    .map(name => [`${name} *`, [`${name} rm x`, `${name} -- rm`]] as const),
  ...'op doppler jupyter lerna nx streamlit unknown'
    .split(' ')
    .map(name => [`${name}:*`, [`${name} run x`, `${name} exec -- x`]] as const),
  ['mise *', ['mise x rm', 'mise exec -- rm', 'mise --cd x exec rm']],
  ['jj *', ['jj util exec -- rm', 'jj --config=a=b log']],
  ['eslint *', ['eslint --rulesdir x a', 'eslint -c x a', 'eslint --parser x a', 'eslint -f x a']],
  ['pylint *', ['pylint --load-plugins x a', 'pylint --init-hook=x a', 'pylint --rcfile=x a']],
  ['rustc *', ['rustc -C linker=x a.rs', 'rustc --codegen linker=x a.rs']],
  ['gs *', ['gs -dNOSAFER a.ps', 'gs -c x', 'gs -sOutputFile=%pipe%x a']],
  ['exiftool *', ['exiftool -if x a', 'exiftool -config x a', 'exiftool -@ x']],
  ['magick *', ['magick -script x', 'magick msl:x a.png']],
  ['soffice *', ['soffice macro:///x', 'soffice -env:UserInstallation=file:///x a']],
  ['chromium *', ['chromium --gpu-launcher=x', 'chromium --renderer-cmd-prefix x']],
  ['yt-dlp *', ['yt-dlp --downloader x a', 'yt-dlp --exec x a', 'yt-dlp -o ~/.bashrc a']],
  ['sed s/a/b/ *', ['sed s/a/b/ -e x', 'sed s/a/b/ --expression=x', 'sed s/a/b/ -fx']],
  ['make:*', ['make', 'make x', 'make SHELL=x', 'make -f x', 'make --eval=x', 'make -C x']],
  [
    'make build *',
    [
      'make build SHELL=x',
      'make build CC:=x',
      'make build -f x',
      'make build --eval=x',
      'make build -fx',
    ],
  ],
  [
    'npm:*',
    [
      'npm exec x',
      'npm x y',
      'npm run x',
      'npm install x',
      'npm init x',
      'npm --prefix /x run y',
      'npm config set a b',
    ],
  ],
  ['npm exec *', ['npm exec x', 'npm exec -- x', 'npm exec -c x']],
  [
    'npm run *',
    [
      'npm run x --script-shell=y',
      'npm run x --prefix /y',
      'npm run x --node-options=y',
      'npm run --script-shell=y x',
    ],
  ],
  ['npm run *', ['npm run x -- --exec y', 'npm run x -C y']],
  ['npx *', ['npx x', 'npx -y x', 'npx -c x', 'npx --package=x y']],
  ['yarn run *', ['yarn run node -e x']],
  ['bun run *', ['bun run x.ts']],
  ['uv run *', ['uv run x', 'uv run --with x y']],
  ['uv run python *', ['uv run python -c x', 'uv run python x.py']],
  ['cargo test *', ['cargo test --config build.rustc-wrapper=x', 'cargo test --manifest-path x']],
  ['go *', ['go run x', 'go test x', 'go generate']],
  ['go test *', ['go test -exec x', 'go test -toolexec x', 'go test -vettool=x']],
  ['gradle build *', ['gradle build -b x', 'gradle build -I x', 'gradle build --init-script x']],
  ['apt-get install *', ['apt-get install x', 'apt-get install -o APT::Update::Pre-Invoke::=x']],
  [
    'docker *',
    [
      'docker run a x',
      'docker exec a x',
      'docker -H x ps',
      'docker compose up',
      'docker --config x ps',
    ],
  ],
  ['docker run alpine *', ['docker run alpine x']],
  ['kubectl exec *', ['kubectl exec a -- x']],
  ['kubectl get *', ['kubectl get x --kubeconfig=y', 'kubectl get --kubeconfig y x']],
  ['rg *', ['rg --pre x y', 'rg --hostname-bin=x y']],
  ['sort *', ['sort --compress-program=x a', 'sort -o ~/.bashrc a', 'sort --output=x a']],
  ['split *', ['split --filter=x a']],
  [
    'pandoc *',
    [
      'pandoc --filter x a',
      'pandoc -F x a',
      'pandoc --lua-filter=x a',
      'pandoc -t x.lua a',
      'pandoc --pdf-engine=x a',
    ],
  ],
  [
    'wget *',
    ['wget --use-askpass=x a', 'wget -e x a', 'wget -O ~/.bashrc a', 'wget -P ~ a', 'wget -a x b'],
  ],
  [
    'curl *',
    ['curl -K x', 'curl -o ~/.bashrc a', 'curl -sSo x a', 'curl -D x a', 'curl --trace x a'],
  ],
  ['gcc *', ['gcc -wrapper x a', 'gcc @x', 'gcc -B/x a', 'gcc -fplugin=x a', 'gcc -specs=x a']],
  [
    'pdflatex *',
    ['pdflatex -shell-escape a', 'pdflatex --shell-escape a', 'pdflatex --enable-write18 a'],
  ],
  ['zip *', ['zip a b -T -TT x', 'zip a b --unzip-command=x']],
  [
    'mytool *',
    [
      'mytool --exec x',
      'mytool --on-exec=x',
      'mytool --diff-command x',
      'mytool -exec x',
      'mytool --plugin=x',
      'mytool --Shell x',
    ],
  ],
  ['/usr/bin/env *', ['/usr/bin/env rm']],
  ['/usr/bin/git *', ['/usr/bin/git -c a=b log']],
  ['g*', ['git -c a=b log', 'gdb -x y', 'gawk x']],
  ['*git *', ['rm git x']],
  ['GIT_SSH_COMMAND*', ['GIT_SSH_COMMAND=x git fetch']],
  ['python scripts/*', ['python scripts/../x.py', 'python scripts/a.py; x', 'python scriptsx']],
]

const ALLOWED: readonly (readonly [pattern: string, commands: readonly string[]])[] = [
  ...['git:*', 'git *'].map(
    pattern =>
      [
        pattern,
        [
          ...[
            'git status',
            'git log --oneline -5',
            "git log --format='%(trailers)' main..HEAD",
            'git diff --stat HEAD~2',
            'git add -A .',
          ],
          ...[
            'git commit -m "fix(ci): don\'t run"',
            "git commit -m 'Why? Because!'",
            'git commit -m "修复：泡茶 🍵"',
            'git log -c',
            'git -C ../x log',
          ],
          ...[
            'git show HEAD@{1}',
            'git stash apply stash@{0}',
            'git add src/*.ts',
            'git grep -n "x$"',
            'git log --author="A B"',
            'git push -u o x',
          ],
          ...[
            'git fetch --all --prune',
            'git rebase -i HEAD~3',
            'git rebase --continue',
            'git bisect start',
            'git submodule update --init',
          ],
          ...[
            'git config --get user.name',
            'git config --list',
            'git remote -v',
            'git checkout -b x',
            'git merge --no-ff x',
            'git show $HOME/x',
          ],
          ...[
            'git worktree add ../x',
            'git commit -m "a\\"b"',
            'git clone https://a.example/b.git',
            'git tag -a v1 -m x',
            'git blame -L 1,5 a',
          ],
          ...[
            'git log -- --exec',
            'git cherry-pick -x abc',
            'git reset --hard HEAD~1',
            'git archive HEAD --prefix=x/',
          ],
        ],
      ] as const,
  ),
  ['git fetch --upload-pack=mine *', ['git fetch --upload-pack=mine x']],
  [
    'npm run *',
    [
      'npm run build',
      'npm run build -- ../other',
      'npm run test -- --watch src',
      'npm run build --silent',
    ],
  ],
  ['npm *', ['npm ls', 'npm view x version', 'npm --version']],
  ['npx prettier *', ['npx prettier --write src']],
  ['npm exec prettier *', ['npm exec prettier src']],
  ['make build *', ['make build test', 'make build x --dry-run']],
  ['python scripts/*', ['python scripts/a.py --exec x', 'python scripts/b/c.py']],
  ['python scripts/a.py:*', ['python scripts/a.py', 'python scripts/a.py -c x']],
  ['python -m json.tool *', ['python -m json.tool a.json']],
  ['python3:*', ['python3 --version']],
  ['./scripts/*', ['./scripts/a.sh x', './scripts/a.sh --fast']],
  ['uv run pytest tests *', ['uv run pytest tests tests/b.py']],
  ["awk '{print $1}' *", ["awk '{print $1}' a.txt"]],
  ['sudo apt-get list *', ['sudo apt-get list x', 'sudo apt-get list -q']],
  ['NODE_ENV=test npm run *', ['NODE_ENV=test npm run x']],
  ['find:*', ['find . -name "*.md" -type f', "find . -path './a' -prune"]],
  ['tar *', ['tar xzf a.tgz', 'tar -czf a.tgz src', 'tar tf a']],
  ['rg *', ['rg -n "a b" src', 'rg --no-pager x']],
  ['ls:*', ['ls -la', 'ls', 'ls ~/x "$HOME/y"']],
  ['pdftotext *', ['pdftotext -layout a.pdf b.txt']],
  ['curl *', ['curl -fsSL https://a.example/b', 'curl -H "A: b" https://a.example']],
  ['docker *', ['docker ps --all', 'docker logs x --tail 5']],
  ['go test *', ['go test ./... -v']],
  ['echo *', ['echo a "b c" d', 'echo run']],
  ['grep *', ['grep run src', 'grep -n exec src']],
  ['7z *', ['7z x a.7z']],
  ['exiftool *', ['exiftool -json -DateTimeOriginal a.jpg']],
  ['op run npm *', ['op run npm test']],
  ['python -m http.server *', ['python -m http.server 8000']],
  ['eslint *', ['eslint src --fix', 'eslint .']],
  ['mise *', ['mise ls', 'mise current']],
]

describe('permits: a prefix', () => {
  const shown = (commands: readonly string[], pattern: string, expected: boolean): string[] =>
    commands.filter(command => allows(`Bash(${pattern})`, command) !== expected)

  it.each([
    'git status',
    'npm run build',
    'ls',
    'pdftotext a',
    './scripts/a.sh',
    'python scripts/a.py',
  ])(
    '[TD-9] [BY-9] %s is not left by operators, substitutions, expansions or quotes that do not end',
    command => {
      const patterns = [`${command.split(' ')[0]}:*`, `${command} *`, `${command}*`]
      for (const pattern of patterns)
        expect(
          shown(
            LEAVING.map(rest => `${command} ${rest}`),
            pattern,
            false,
          ),
        ).toEqual([])
    },
  )

  it('[TD-9] [BY-9] of git runs no other command', () => {
    for (const pattern of ['git:*', 'git *', 'git*'])
      expect(
        shown(
          GIT.map(rest => `git ${rest}`),
          pattern,
          false,
        ),
      ).toEqual([])
  })

  it.each(RUNNING)('[TD-9] [BY-9] %s runs no other command', (pattern, commands) => {
    expect(shown(commands, pattern, false)).toEqual([])
  })

  it.each(ALLOWED)('[TD-9] %s allows what only looks like that', (pattern, commands) => {
    expect(shown(commands, pattern, true)).toEqual([])
  })

  it('[TD-9] a pattern that is exact, or has no prefix, allows what it says', () => {
    expect(allows('Bash(sh -c "a; b")', 'sh -c "a; b"')).toBe(true)
    expect(allows('Bash(*)', 'sh -c "a; b"')).toBe(true)
    expect(allows('Bash', 'rm -rf x')).toBe(true)
    expect(allows('Bash()', 'rm -rf x')).toBe(true)
  })

  it('[TD-9] of a tool that takes a path or an address is not read as a command', () => {
    for (const [pattern, argument] of [
      ['Write(out/*)', 'out/report (1).md'],
      ['Write(out/*)', "out/it's *.md"],
      ['read_file(docs/*)', 'docs/{a,b}.md'],
      ['WebFetch(https://a.example/*)', 'https://a.example/(b)!$x'],
    ] as const)
      expect([argument, allows(pattern, argument)]).toEqual([argument, true])
    for (const tool of [
      'Bash',
      'run_in_terminal',
      'execute_command',
      'PowerShell',
      'RunFile',
      'tool_x',
      'WriteShell',
    ])
      expect([tool, allows(`${tool}(git:*)`, 'git bisect run x')]).toEqual([tool, false])
    expect(allows('PowerShell(git:*)', 'git log ’a’')).toBe(false)
    expect(allows('PowerShell(git:*)', 'git fetch "a\\" --upload-pack=x \\"b"')).toBe(false)
  })

  it('[TD-9] [BY-9] is read in linear time', () => {
    const start = 'git log '
    for (const part of ['"', "'", '\\', '$', '{', '!', '*', 'a ', '--a=', '"$HOME"', '[', '=']) {
      const command = start + part.repeat(200_000 / part.length)
      expect(typeof allows('Bash(git:*)', command)).toBe('boolean')
    }
  })
})
