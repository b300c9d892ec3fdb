/** The commands about rehearsals, the surroundings of a run, the embedded service and the shell. */

import { docsPage } from '../../base/wording.ts';
import type { CompletionTarget, FindCommands } from '../actions/completion.ts';
import {
  APPROVED_BY,
  onOff,
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
    name: 'rehearse',
    group: 'Review:',
    summary: 'simulate scheduled rollouts offline',
    description:
      'Simulates scheduled rollouts offline: applies the manifests to a service in memory, moves its clock, and shows how many people have the flags on after each step.',
    parameters: {
      keys: texts('<key...>', 'flags with steps over time'),
      late: time('--late <duration>', 'make each run this much later than planned: 90m, 24h, 7d'),
      verdicts: text(
        '--verdicts <file>',
        'file of verdicts for guards, also those with alerts; each run uses the newest verdict by then',
      ),
      randomVerdicts: whole(
        '--random-verdicts <seed>',
        'let each guard pass, hold or be unknown at random; the same seed gives the same results',
      ),
      ...APPROVED_BY,
    },
    examples: ['flagwright rehearse new-checkout -p production', 'flagwright rehearse new-checkout --late 2d'],
    reports: ['rehearsal'],
    exits: { 2: 'a guarded step is overdue at the end', 4: 'a policy or a limit refuses a run' },
    unused: ['concurrency'],
    run: (options) => async (session) => (await import('../actions/rehearse.ts')).rehearse(session, options),
  }),
  command({
    name: 'doctor',
    group: 'Start:',
    summary: 'check keys, hosts, git and configuration, and say how to fix them',
    description:
      'Checks the configuration, the manifests, each host, the scopes of each API key, git, the journal and the CI system, and says how to fix each problem.',
    parameters: {
      for: choice(
        '--for <command>',
        'the command that the API key is for; a key for plan may lack the scopes to write',
        ['plan', 'apply'],
      ),
    },
    examples: ['flagwright doctor', 'flagwright doctor -p production --for apply', 'flagwright doctor --format json'],
    reports: ['doctor'],
    exits: { 0: 'no problem', 1: 'failed, or there is a problem' },
    unused: ['concurrency'],
    withoutProject: 'all',
    run: (options) => async (session) => (await import('../actions/doctor.ts')).doctor(session, options.for),
  }),
  command({
    name: 'serve',
    group: 'Service:',
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
        'PostHog to imitate: documented (2023) or posthog (today); default: as configured, else documented',
        ['documented', 'posthog'],
      ),
      latency: whole('--latency <ms>', 'delay of each response in milliseconds', { to: LONGEST_LATENCY_MS }),
      rateLimit: RATE_LIMIT,
      faults: text('--faults <file>', `script of faults to inject (${docsPage('faults')})`),
      clock: text(
        '--clock <time>',
        'start time of the service, with a time zone offset; requests can then move it forward',
      ),
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
    withoutProject: 'default_project',
    run: (options) => async (session) => (await import('../actions/serve.ts')).serve(session, options),
  }),
];

/** Completes every command, itself included. */
export function completionOf(findCommands: FindCommands): CommandDeclaration<Execute> {
  return command({
    name: 'completion',
    group: 'Shell:',
    summary: 'print a shell completion script',
    description: 'Prints a script with which a shell completes commands, options, formats, projects and flag keys.',
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
