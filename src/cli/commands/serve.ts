/** `flagwright serve`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { choice, list, onOff, text, whole, withDefault } from '../line/parameters.ts';
import { RATE_LIMIT } from '../line/parsed-options.ts';
import type { Execute } from '../session/session.ts';

const LARGEST_PORT = 65_535;
const DEFAULT_PORT = 8765;
const LONGEST_LATENCY_MS = 600_000;

export const SERVE: CommandDeclaration<Execute> = command({
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
});
