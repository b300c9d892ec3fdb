/** The commands about code, rehearsals, the surroundings of a run, the embedded service and the shell. */

import type { Sdk } from '../../code/generate/sdks.ts';
import type { CompletionTarget, FindCommands } from '../actions/completion.ts';
import {
  APPROVED_BY,
  onOff,
  outFile,
  required,
  type Parameter,
  list,
  text,
  texts,
  whole,
  withDefault,
  time,
  choice,
  RATE_LIMIT,
} from '../line/options.ts';
import { command, type CommandDeclaration } from '../line/program.ts';
import type { Execute } from '../session/session.ts';

const LANGUAGE: Parameter<'typescript'> = {
  syntax: '<language>',
  description: 'the language of the code',
  choices: ['typescript'],
};

const SDK: Parameter<Sdk> = {
  syntax: '--sdk <sdk>',
  description: 'the SDK that the code reads flags with',
  choices: ['posthog-js', 'posthog-node', 'openfeature-server', 'openfeature-web'],
  required: true,
};

const ACTION: Parameter<'export' | undefined> = {
  syntax: '[action]',
  description: 'export: also write the references to a document for the repository that has the flags',
  choices: ['export'],
};

/** The service calls a flag stale after 30 days without calls; fewer would contradict it. */
const LEAST_DAYS = 30;

const LARGEST_PORT = 65_535;
const DEFAULT_PORT = 8765;
const LONGEST_LATENCY_MS = 600_000;

const SHELL: Parameter<CompletionTarget> = {
  syntax: '<shell>',
  description: 'the shell',
  choices: ['bash', 'zsh', 'fish', 'candidates'],
};

export const TOOLS: readonly CommandDeclaration<Execute>[] = [
  command({
    name: 'generate',
    summary: 'write types and accessors of the declared flags for code',
    description:
      'Writes a module with the type of each declared flag, its variants and its payloads, and an accessor that reads it, without contacting the service. Covers all projects, or the one of --project.',
    parameters: {
      language: LANGUAGE,
      out: { ...required('--out <file>', 'the module to write; an existing one is replaced'), parse: outFile },
      sdk: SDK,
      check: onOff('--check', 'write nothing; exit with 2 if the module is not current, and show what differs'),
    },
    examples: [
      'flagwright generate typescript --sdk posthog-js --out src/flags.ts',
      'flagwright generate typescript --sdk openfeature-server --out src/flags.ts --check',
    ],
    reports: ['files'],
    exits: { 2: '--check' },
    unused: ['concurrency', 'markdownLimit'],
    run: (options) => async (session) => (await import('../actions/generate.ts')).generate(session, options),
  }),
  command({
    name: 'refs',
    summary: 'show where code reads flags, and which flags no code reads',
    description:
      'Searches the code of the repository for the keys of declared flags, without contacting the service: flags that no code reads, keys that no manifest declares, and flags that code still reads though they are deleted, disabled or rolled out to everyone. Covers all projects, or the one of --project.',
    parameters: {
      action: ACTION,
      out: { ...text('--out <file>', 'with export: the document to write'), parse: outFile },
      repository: text(
        '--repository <name>',
        'with export: the name of this repository (default: of the address of its remote)',
      ),
      keys: text(
        '--keys <file>',
        'also search for these keys: one on a line, or what refs or flags list print as JSON',
      ),
      commit: text(
        '--commit <commit>',
        'search the code of a commit (default: the files on disk that git does not ignore)',
      ),
      target: list('--target <key...>', 'only these flags (keys or globs), with every place'),
      live: onOff(
        '--live',
        'also search for the live flags that no manifest declares; needs the keys of these projects',
      ),
      check: onOff(
        '--check',
        'exit with 2 if code reads a key that no manifest declares, or a deleted or renamed flag',
      ),
    },
    examples: [
      'flagwright refs',
      'flagwright refs --target new-checkout --commit origin/main',
      'flagwright refs --check --format github',
      'flagwright refs export --keys flags.json --out references.json',
    ],
    reports: ['refs'],
    exits: { 2: '--check' },
    run: (options) => async (session) => (await import('../actions/refs.ts')).refs(session, options),
  }),
  command({
    name: 'stale',
    summary: 'show which flags can be removed, and what to do next',
    description:
      'Joins what the code, the service, the manifests and git say about each declared flag, and names the next step in the order that breaks nothing: remove from the code, deploy, disable, archive, delete. No flag is called stale by one signal alone. Covers all projects, or the one of --project. Changes nothing.',
    parameters: {
      keys: texts('[key...]', 'only these flags (keys or globs), also those without a next step'),
      unmanaged: onOff('--unmanaged', 'also show live flags in scope that no manifest declares'),
      days: withDefault(
        whole('--days <n>', 'the number of days without calls or changes that counts', { from: LEAST_DAYS, to: 9999 }),
        LEAST_DAYS,
      ),
      task: onOff('--task', 'one Markdown task for each flag (text, markdown and json)'),
    },
    examples: ['flagwright stale', 'flagwright stale old-banner --task', 'flagwright stale --unmanaged --format csv'],
    reports: ['stale'],
    run: (options) => async (session) => (await import('../actions/stale.ts')).stale(session, options),
  }),
  command({
    name: 'rehearse',
    summary: 'make the steps of rollouts in seconds, offline',
    description:
      'Applies the manifests to a service in memory, moves its clock, makes each step when CI would, and shows how many people have the flags on.',
    parameters: {
      keys: texts('<key...>', 'flags with steps over time'),
      late: time('--late <duration>', 'make each run this much later than planned: 90m, 24h, 7d'),
      ...APPROVED_BY,
    },
    examples: ['flagwright rehearse new-checkout -p production', 'flagwright rehearse new-checkout --late 2d'],
    reports: ['rehearsal'],
    unused: ['concurrency'],
    run: (options) => async (session) => (await import('../actions/rehearse.ts')).rehearse(session, options),
  }),
  command({
    name: 'doctor',
    summary: 'check keys, hosts, git and configuration, and say how to fix them',
    description:
      'Checks the configuration, the manifests, each host, the scopes of each API key, git, the journal and the CI system, and says how to fix each problem.',
    parameters: {
      for: choice('--for <command>', 'what the API key is for: without apply, it may lack the scopes to write', [
        'plan',
        'apply',
      ]),
    },
    examples: ['flagwright doctor', 'flagwright doctor -p production --for apply', 'flagwright doctor --format json'],
    reports: ['doctor'],
    exits: { 1: true },
    unused: ['concurrency'],
    run: (options) => async (session) => (await import('../actions/doctor.ts')).doctor(session, options.for),
  }),
  command({
    name: 'serve',
    summary: 'run the embedded service',
    description:
      'Runs the embedded service on a loopback address and prints the environment variables that point a client to it.',
    parameters: {
      host: withDefault(text('--host <host>', 'loopback address to listen on'), '127.0.0.1'),
      port: withDefault(
        whole('--port <port>', 'port to listen on; 0 picks a free one', { to: LARGEST_PORT }),
        DEFAULT_PORT,
      ),
      projectId: list('--project-id <id...>', 'ids of the projects to serve (default: 1)'),
      data: text('--data <file>', 'database file; :memory: keeps nothing (default: in memory)'),
      seed: text('--seed <file>', 'initial flags, roles, persons and events, loaded if the project is empty'),
      manifests: onOff('--manifests', 'serve the flags of the manifests, and reload them when a file changes'),
      profile: choice(
        '--profile <profile>',
        'behave as documented, or as PostHog does (default: as configured, or documented)',
        ['documented', 'posthog'],
      ),
      latency: whole('--latency <ms>', 'delay of each response in milliseconds', { to: LONGEST_LATENCY_MS }),
      rateLimit: RATE_LIMIT,
      faults: text('--faults <file>', 'script of faults to inject (docs/faults.md)'),
      clock: text('--clock <time>', 'time of the service, with an offset; requests can then move it forward'),
    },
    examples: [
      'flagwright serve',
      'flagwright serve --data flags.db --seed seed.json',
      'flagwright serve --project-id 1 --project-id 2',
      'flagwright serve --profile posthog --latency 50 --rate-limit 480/m',
      'flagwright serve --manifests -p production',
      'flagwright serve --faults faults.yaml',
      'flagwright serve --profile posthog --clock 2026-12-01T09:00+01:00',
    ],
    reports: ['service'],
    unused: ['concurrency', 'report', 'markdownLimit'],
    run: (options) => async (session) => (await import('../actions/serve.ts')).serve(session, options),
  }),
];

/** Completes every command, itself included. */
export function completionOf(findCommands: FindCommands): CommandDeclaration<Execute> {
  return command({
    name: 'completion',
    summary: 'print a script that completes the command line',
    description: 'Prints a script that makes a shell complete commands, options, formats, projects and flag keys.',
    parameters: {
      target: SHELL,
      words: texts('[words...]', 'with candidates: the words typed so far, after --'),
    },
    examples: [
      'eval "$(flagwright completion bash)"',
      'flagwright completion zsh > ~/.zsh/completions/_flagwright',
      'flagwright completion fish > ~/.config/fish/completions/flagwright.fish',
    ],
    reports: ['script'],
    unused: ['project', 'config', 'concurrency', 'deadline', 'report', 'markdownLimit'],
    run: (asked) => async (session) =>
      (await import('../actions/completion.ts')).completion(session, { ...asked, findCommands }),
  });
}
