import texts, { count, type RichText } from './texts-en.js'
import firing from './texts-en-firing.js'
import listing from './texts-en-listing.js'

const { number, tokens, size } = texts

/** English texts of everything that opens after the first screen. */
const more = {
  listing,
  firing,
  link: {
    copied: 'Link copied. It opens what you see.',
    folder: (name: string) =>
      `Link copied, without ${name}: it asks for the folder, which is on this computer.`,
    archive: (name: string) =>
      `Link copied, without ${name}: it asks for the file, which is on this computer.`,
    part: (name: string) => `Link copied, without ${name}, which is on this computer.`,
    installed: (amount: number) =>
      `Link copied, without your ${count(amount, 'installed skill')}: they are in this browser.`,
    blocked: 'The browser blocked copying. The address bar has the link.',
  },
  skillPanel: 'Open skill',
  aboutPanel: 'About this library',
  back: 'Back to search',
  skillNotFound: {
    title: 'Skill not found',
    message: (id: string) => `This library has no skill ${id}.`,
    hint: 'Select another skill from the list.',
  },
  skillFailed: {
    title: 'Could not open the skill',
    hint: 'Check your network, then select the skill again.',
  },
  skill: {
    version: (version: string) => `version ${version}`,
    author: (author: string) => `by ${author}`,
    license: (license: string) => `license ${license}`,
    compatibility: (needs: string) => `requires ${needs}`,
    tags: 'Tags',
    sections: 'Sections',
    metadata: 'Metadata',
    metadataCost: (amount: number) => `${tokens(amount)}, always in the prompt`,
    frontmatter: 'Frontmatter',
    frontmatterSource: 'Frontmatter source',
    noFrontmatter: (file: string) => `${file} has no frontmatter.`,
    instructions: 'Instructions',
    instructionsCost: (amount: number) => `${tokens(amount)}, read when the skill is loaded`,
    noInstructions: 'This skill has no instructions.',
    files: 'Files',
    noFiles: 'none',
    filesSummary: (amount: number, total: number) =>
      `${count(amount, 'file')}${total > 0 ? `, ${size(total)}` : ''}, each read on demand`,
    diagnostics: (amount: number) => `${count(amount, 'issue')} in this skill`,
    compare: 'Compare',
  },
  agent: {
    title: 'Chat',
    lead: 'An agent with this library. Each message comes with the few skills that fit it. A skill is read when the model opens it.',
    model: 'Model',
    models: {
      tour: 'None: a tour with prepared sentences',
      'built-in': 'Built-in model of this browser',
      address: 'OpenAI-compatible address',
    },
    notes: {
      tour: 'No model is asked. Matching, opening and reading are real and run in this tab; only the sentences of the answers are prepared.',
      'built-in': 'The model runs on this device. The browser may download it first.',
      address:
        'Messages and the skills that are opened go to this address only. The key stays in this tab until you close it.',
    },
    address: 'Address of the model',
    url: 'Base URL',
    modelName: 'Model name',
    key: 'API key',
    log: 'Conversation',
    message: 'Message',
    placeholder: 'What should the agent do?',
    send: 'Send',
    edit: 'Edit',
    again: 'Answer again',
    beside: 'Model, tokens and cost',
    stop: 'Stop',
    restart: 'Start again',
    waiting: 'Waiting for the model…',
    opened: 'Opened:',
    noneOpened: 'No skill was opened.',
    neverRun:
      'The agent read this script. skillshelf never runs scripts: copy it and run it yourself if you trust it.',
    costs: 'Tokens and cost',
    dollars: (amount: number) => `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`,
    inOut: (read: number, written: number) => `${number(read)} tokens in, ${number(written)} out`,
    prices: 'Dollars for a million tokens',
    priceIn: 'in',
    priceOut: 'out',
    tour: {
      messages: [
        'Extract the tables from report.pdf into CSV files',
        'Make slides about the results for our launch',
        'Check the contract with our landlord before I sign it',
      ],
      opened: (name: string, cost: string) =>
        `I opened **${name}** for this: ${cost}, read only now.`,
      covers: 'Its instructions cover:',
      coversForeign: 'Its instructions are in Chinese. They cover:',
      read: (path: string) => `They refer to \`${path}\`, so I read that file too.`,
      next: '*A model would follow these instructions now. This sentence is prepared: choose a model to get an answer.*',
      choose: (names: readonly string[]) =>
        `This library probably has it. Which do you mean?\n\n${names.map(name => `- **${name}**`).join('\n')}`,
      none: 'No skill of this library fits, so none was opened and none costs a token. A model would answer from what it knows.',
    },
    withSkillshelf: 'With skillshelf',
    problems: {
      stopped: 'Stopped.',
      unsupported: 'This device cannot run the built-in model. Use another model.',
      key: 'The address refused the key. Check the key.',
      notFound: 'The address has no such API or model. Check the base URL and the model name.',
      limit: 'The address accepts no more requests now. Wait, then send again.',
      noAnswer:
        'The address did not answer, or does not allow requests from pages (CORS). Check the base URL.',
      failed: (detail: string) => `The model did not answer: ${detail}`,
    },
  },
  ways: {
    title: 'Three ways in, ten lines each',
    page: 'A page',
    agent: 'An agent',
    edge: 'A server',
    meaning: {
      page: 'Find a skill for a message, and read it.',
      agent: 'A prompt and tools for any model: skills are opened when they are needed.',
      edge: 'A Worker, with REST and MCP. Here it answers in the tab.',
    },
    run: 'Run it here',
    runLabel: (name: string) => `Run it here: ${name}`,
    output: 'Output',
    answerTo: (message: string) => `Its answer to “${message}”:`,
  },
  skillActions: {
    title: 'Use this skill',
    copySkill: 'Copy SKILL.md',
    copyPrompt: 'Copy for a prompt',
    copiedTokens: (amount: number) => `Copied, ${tokens(amount)}`,
    copyInstall: 'Copy install command',
    copyMcp: 'Copy MCP configuration',
    download: 'Download zip',
    openSource: 'Open on GitHub',
    packing: 'Packing…',
    copied: 'Copied',
    blocked: 'The browser blocked copying.',
    failed: 'Could not read all files of this skill.',
  },
  files: {
    reading: 'Loading…',
    download: (name: string) => `Download ${name}`,
    noImage: 'Could not display this image.',
    notText: (type: string) => `${type}, not text`,
    truncated: 'Preview truncated. Download the file to see all of it.',
    inFolder: (amount: number) => count(amount, 'file'),
    more: (amount: number) => `Show ${number(amount)} more`,
    kinds: { script: 'script', text: 'text', image: 'image', binary: 'binary' },
  },
  markdown: {
    tooLarge: 'Shown as plain text, because it would take too long to format.',
    failed: 'Shown as plain text, because the page could not load what formats it.',
  },
  imageNotLoaded: (name: string) => `[image: ${name || 'not loaded'}]`,
  diagnostics: {
    title: (amount: number) => `${count(amount, 'issue')} in this library`,
    more: (amount: number) => `${number(amount)} more not shown.`,
    line: (line: number) => `line ${line}`,
    severity: { error: 'error', warning: 'warning', info: 'info' },
  },
  usage: {
    title: 'Tokens',
    lead: 'What a skill takes in a model’s context: with all names and descriptions listed, as agents do, by skillshelf, and with every skill inlined. Counts are estimates.',
    now: 'In context now',
    listed: (amount: number) => `The same with ${count(amount, 'skill')} listed`,
    level: 'Level',
    tokens: 'Tokens',
    metadata: (name: string) => `Name and description of ${name}`,
    instructions: (name: string) => `Instructions of ${name}`,
    file: (path: string) => `File ${path}`,
    hint: 'Open a skill and some of its files, then come back: only their tokens are added.',
    inlined: 'All instructions inlined',
    inlinedWithFiles: (amount: number) =>
      `All instructions and ${count(amount, 'text file')} inlined`,
    countFiles: 'Include text files',
    counting: (done: number, total: number) => `Reading skill ${number(done)} of ${number(total)}…`,
    unreadable: (amount: number) => `Could not read ${count(amount, 'file')}; not counted.`,
    grow: 'Change the number of skills',
    growLabel: (amount: number) => `First ${count(amount, 'skill')}`,
    growOpened: 'Tokens in the context, with one skill of average length',
  },
  prompts: {
    title: 'Prompts and tools',
    lead: 'Three ways to give these skills to a model. The library generates each text.',
    catalog: 'Catalog: all names and descriptions',
    catalogMeaning: (amount: number) =>
      `Add it to the system prompt. Names and descriptions, as in Tokens: ${tokens(amount)}. With markup and rules:`,
    matches: 'Matches for this message',
    matchesMeaning: 'Add it next to the user message.',
    noMessage: 'Type a message in the search box to see its matches.',
    noMatches: 'No skill scores above the threshold, so the prompt lists none.',
    tools: 'Tools',
    toolsMeaning: 'Tool definitions; the library executes the calls.',
    copy: 'Copy',
    copyLabel: (what: string) => `Copy: ${what}`,
    copied: 'Copied',
    selected: 'The browser blocked copying. The text is selected: press Ctrl+C.',
    truncated: 'Preview truncated. Copy includes the whole text.',
  },
  compare: {
    title: 'Side by side',
    link: 'Compare these rankings',
    lead: 'One message, several ways to give an agent the right skill. Which finds it, how fast, and what does the context cost? MiniSearch is a popular library for full-text search.',
    noMessage: 'Type a message in the search box to compare how it is ranked.',
    right: 'The right skill is',
    board: 'Comparison',
    method: 'Method',
    rank: 'Rank',
    rankOf: (rank: number | undefined) =>
      rank === undefined ? '–' : rank === 0 ? 'not found' : `#${rank}`,
    bars: { milliseconds: 'Time', bytes: 'Download', tokens: 'Tokens in the context' },
    places: { first: 'wins', tied: 'ties', last: 'loses' },
    inlined: 'Every skill inlined',
    card: 'Save as a picture',
    cardAnswer: (name: string) => `The right skill is ${name}.`,
    report: 'Report a miss',
    keywords: 'Keywords',
    bundled: 'Bundled model',
    time: (milliseconds: string) => `${milliseconds} ms`,
    timeMeaning:
      'Time: median of five searches in this tab. Tokens: the skill that an agent would open. Download: code, index and model, without the runtime of the encoder. MiniSearch has names, descriptions and tags, and no threshold.',
    index: (amount: number) => `${size(amount)} index`,
    model: (amount: number) => `${size(amount)} model`,
    noModel: 'This library or this language has no vectors of the model.',
    noTransformer:
      'Not loaded, or not for this language. To load it, open “Ranked by …” below the search box.',
    noMatch: 'No skill found.',
    failed: 'Could not open the library again to compare.',
    fields: { name: 'name', description: 'description', message: 'messages', body: 'instructions' },
    share: (term: string, share: string, fields: readonly string[]) =>
      `“${term}” ${share} (${fields.join(', ')})`,
    similarity: (value: string) => `similarity ${value}`,
  },
  models: {
    title: 'Models',
    keywords: 'Keywords',
    keywordsMeaning: 'from the whole SKILL.md. Always on.',
    bundled: 'Bundled model',
    bundledMeaning:
      'matches meaning within and across languages. 1 MB, plus 1.8 MB for Chinese, Japanese and Korean.',
    state: {
      loading: 'Loading. Keywords rank until it is ready.',
      'in-use': 'In use.',
      'no-vectors': 'Not available: this library was packed with --no-meaning.',
      failed: 'Could not load. Only keywords rank.',
    },
    transformerMeaning:
      'understands full sentences in English, Chinese, Japanese, Korean, Spanish, German, French, Portuguese and Russian. MIT license.',
    downloadSize:
      '17 MB, plus a 14 MB runtime. Both come from this site and run in this browser; messages stay here.',
    load: 'Load',
    retry: 'Try again',
    cancel: 'Cancel',
    unload: 'Unload',
    starting: 'Starting…',
    downloaded: (done: number, total: number) => `${size(done)} of ${size(total)}`,
    startingRuntime: 'Starting the runtime…',
    embedding: (done: number, total: number) =>
      `Embedding skills: ${number(done)} of ${number(total)}`,
    inUse: 'In use. It loads again on your next visit.',
    failed: 'Could not load. The bundled model stays in use.',
    summaryLoading: (name: string, share: string) => `${name}: loading, ${share}`,
    summaryFailed: (name: string) => `Could not load ${name}`,
    spokenLoading: (name: string, share: string) => `Loading ${name}: ${share}`,
    spokenEmbedding: (name: string) => `${name} is embedding the skills`,
    spokenInUse: (name: string) => `${name} is in use`,
  },
  tests: {
    again: 'Run again',
    stop: 'Stop',
    reading: 'Reading tests…',
    running: (done: number, total: number) => `${number(done)} of ${number(total)}`,
    stopped: 'Stopped.',
    none: 'This library has no triggers.yaml. Add one next to a SKILL.md, with one message per line:',
    failed: 'Could not run the tests.',
    progress: 'Progress',
    finished: (total: number) => `${count(total, 'message')} tested.`,
    passed: (passed: number, total: number) => `${number(passed)} of ${number(total)} passed.`,
    own: 'The skills’ own examples',
    ownMeaning:
      'Their authors wrote them with the skills, so they say little about other messages.',
    heldOut: 'Held-out messages',
    heldOutMeaning:
      'Messages in nine languages that were written apart from the skills, and that nothing was trained or tuned with.',
    first: 'Ranked first',
    firstMeaning: 'the expected skill came first',
    above: 'Above threshold',
    aboveMeaning: 'first, with a score above 70%',
    abstained: 'Abstained',
    abstainedMeaning: 'no skill scored above 70%, as expected',
    of: (part: number, whole: number, meaning: string) =>
      `${number(part)} of ${number(whole)}: ${meaning}`,
    results: (title: string) => `Results: ${title}`,
    message: 'Message',
    expected: 'Expected',
    found: 'Found',
    score: 'Score',
    result: 'Result',
    noSkill: 'none',
    or: ' or ',
    pass: 'passed',
    fail: 'failed',
    failures: (failed: number) =>
      failed === 0 ? 'No message failed.' : `${count(failed, 'message')} failed.`,
    all: (total: number) => `Show all ${number(total)}`,
    onlyFailed: 'Show failures only',
    try: 'Search for this message',
    problems: 'Invalid tests',
  },
  openDialog: {
    title: 'Open a library',
    private: 'Nothing is uploaded. Skills are read in this tab.',
    close: 'Close',
    address: 'URL, or owner/name on GitHub',
    addressHint:
      'The output of npx skillshelf pack on any host that allows cross-origin requests, or a repository, such as owner/name/folder@branch. GitHub allows 60 requests an hour; a repository takes about three.',
    open: 'Open',
    knownRepositories: 'Well-known repositories',
    path: 'A page cannot read a path. Choose the folder below, or drop it on the page.',
    folder: 'Or skills on this computer',
    chooseFolder: 'Choose a folder',
    chooseFiles: 'Choose a zip',
    folderHint:
      'You can also drop a folder, zip or tar.gz anywhere on the page. The browser may ask to “upload” files; they stay on this computer.',
    samples: 'Back to the samples',
    addressRequired: 'Enter a URL, or owner/name.',
  },
  progress: {
    opening: (name: string) => `Opening ${name}…`,
    found: (amount: number) => `${count(amount, 'file')} found`,
    read: (done: number, total: number) => `${number(done)} of ${number(total)} read`,
    cancel: 'Cancel',
  },
  source: {
    add: 'Add more skills',
    folder: (name: Node): RichText => ['From ', name, ', a folder on this computer'],
    archive: (name: Node): RichText => ['From ', name, ', on this computer'],
    address: (name: Node): RichText => ['From ', name],
    samples: 'Back to the samples',
  },
  install: {
    offer: (amount: number) =>
      amount === 1 ? 'Install this skill' : `Install these ${number(amount)} skills`,
    meaning: 'They are stored in this browser, next to the samples, and work offline.',
    installing: (name: string) => `Installing ${name}…`,
    done: ({ added, replaced }: { added: number; replaced: number }) =>
      added + replaced === 0
        ? 'Already installed, no changes.'
        : [
            added > 0 && `${count(added, 'skill')} installed.`,
            replaced > 0 && `${number(replaced)} updated.`,
          ]
            .filter(Boolean)
            .join(' '),
    show: 'Show installed skills',
  },
  installed: {
    title: 'Installed skills',
    lead: 'Stored in this browser and searched together with the samples, in every tab, also offline.',
    empty: 'No skills installed.',
    emptyHint:
      'Drop a zip, a tar.gz or a folder of skills here, or choose one. A skill is a folder with a SKILL.md file.',
    addFiles: 'Add a zip',
    addFolder: 'Add a folder',
    export: 'Export all as zip',
    exporting: 'Packing…',
    storage: (amount: number, bytes: number, persisted: boolean) =>
      `${count(amount, 'skill')}, ${size(bytes)} in this browser. ${
        persisted
          ? 'They stay until you remove them.'
          : 'The browser may clear them when this device runs low on storage. Export them to keep a copy.'
      }`,
    remove: 'Remove',
    removeLabel: (name: string) => `Remove ${name}`,
    removed: (name: Node): RichText => [name, ' removed.'],
    undo: 'Undo',
    restored: (name: Node): RichText => [name, ' restored.'],
    more: (amount: number) => `Show ${number(amount)} more`,
    drop: 'Drop skills to install them',
  },
  errors: {
    retry: 'Try again',
    openOther: 'Open another library',
    samples: 'Back to the samples',
    close: 'Close',
    samplesMissing: 'This page has no packed skills yet.',
    samplesUnreadable: 'Could not read the skills.',
    packSamples: (folder: Node): RichText => [
      'Pack a folder of skills into the ',
      folder,
      ' folder next to this page:',
    ],
    notPacked: (where: string) => `No packed library at ${where}`,
    notPackedDetail: (file: string) => `${file} was not found there.`,
    notPackedHint: 'Pack a folder of skills, upload the output, and open its URL:',
    status: (where: string, status: number) => `${where} returned ${status}`,
    statusHint:
      'The host is reachable but does not serve the library. Check the URL and its access rules.',
    noAnswer: (where: string) => `${where} did not respond`,
    noAnswerHint:
      'Check the URL and your network. The URL must use https or point to this computer.',
    cors: (where: string) => `${where} does not allow cross-origin requests`,
    corsHint: 'The host must send this header with every file (CORS):',
    policy: (where: string) => `This page may not connect to ${where}`,
    policyHint:
      'Its security policy allows https URLs and this computer. Serve the library over https, or open a folder.',
    invalidAddress: (text: string) => `“${text}” is not a library URL`,
    invalidAddressHint: 'Example: https://example.com/skills/',
    damaged: (where: string) => `The library at ${where} is damaged`,
    damagedHint: 'Pack the skills again with the latest version and upload every output file.',
    githubMissing: (name: string) => `GitHub has no public ${name}`,
    githubMissingHint:
      'Check the spelling of the owner, the repository, the folder and the branch.',
    githubLimit: 'GitHub allows no more requests from your network now',
    githubLimitHint:
      'Without an account it allows 60 an hour. Try again later, or download the repository as a zip and open it here.',
    githubFailed: (name: string) => `Could not read ${name} from GitHub`,
    invalidRepository: (text: string) => `“${text}” is not a GitHub repository`,
    invalidRepositoryHint:
      'Example: anthropics/skills, or anthropics/skills/skills@main for a folder of a branch.',
    noSkills: (name: string) => `No SKILL.md in ${name}`,
    noSkillsDetail: (amount: number) => `Searched ${count(amount, 'file')} at every depth.`,
    noSkillsHint:
      'A skill is a folder with a SKILL.md file. Choose a folder that contains skills, or create one:',
    emptyLibrary: 'The library opened, but it has no skills.',
    folderUnreadable: (name: string) => `Could not read ${name}`,
    folderUnreadableHint:
      'Check that it still exists and that the browser may read it, then choose it again.',
    folderGone: (name: string) => `Choose ${name} again`,
    folderGoneHint:
      'After a reload, a page loses access to folders on your computer. Choose or drop the folder again. Installed skills are not affected.',
    archiveDamaged: (name: string) => `Could not unpack ${name}`,
    archiveDamagedHint:
      'Create or download the archive again. Supported formats: zip, tar, tar.gz.',
    archiveUnsupported: (name: string) => `${name} is an unsupported archive`,
    archiveUnsupportedHint:
      'Unpack it on this computer and drop the folder, or use a zip, tar or tar.gz without a password.',
    archiveTooLarge: (name: string) => `${name} exceeds the size limit when unpacked`,
    archiveTooLargeHint:
      'Nothing was stored. If you trust the archive, unpack it on this computer and drop the folder.',
    storageFull: (name: string) => `Not enough storage for ${name}`,
    storageFullHint:
      'Nothing was changed. Remove skills or free space on this device, then try again.',
    storageUnavailable: 'This browser blocks storage for this page',
    storageUnavailableHint:
      'Some private windows do, and so does blocking site data. You can still open skills; they are gone when you close the page.',
    installFailed: (name: string) => `Could not install ${name}`,
    installFailedHint: 'Nothing was changed. Try again, or reload the page.',
    storageFailed: (name: string) => `Storage error: ${name}`,
  },
}

export default more
export type MoreTexts = typeof more
