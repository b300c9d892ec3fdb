/** Declares the command that runs the embedded service. */

import { Option, type Command } from 'commander';
import type { Commands } from './commands.ts';
import { examples } from './examples.ts';
import { wholeNumber } from './options.ts';
import { parseRateLimit } from './rate-limit.ts';

const LARGEST_PORT = 65_535;
const DEFAULT_PORT = 8765;
const LONGEST_LATENCY_MS = 600_000;

export function declareServe(program: Command, commands: Commands): void {
  program
    .command('serve')
    .summary('run the embedded service')
    .description(
      'Runs the embedded service on a loopback address and prints the environment variables that point a client to it.',
    )
    .option('--host <host>', 'loopback address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 picks a free one', wholeNumber(0, LARGEST_PORT), DEFAULT_PORT)
    .option('--project-id <id...>', 'ids of the projects to serve (default: 1)')
    .option('--data <file>', 'database file; :memory: keeps nothing (default: in memory)')
    .option('--seed <file>', 'initial flags, roles, persons and events, loaded if the project is empty')
    .option('--manifests', 'serve the flags of the manifests, and reload them when a file changes')
    .addOption(
      new Option(
        '--profile <profile>',
        'behave as documented, or as PostHog does (default: as configured, or documented)',
      ).choices(['documented', 'posthog']),
    )
    .option('--latency <ms>', 'delay of each response in milliseconds', wholeNumber(0, LONGEST_LATENCY_MS))
    .option('--rate-limit <n/unit>', 'respond with 429 above this rate: 480/m, 10/s, 4800/h', parseRateLimit)
    .option('--faults <file>', 'script of faults to inject (docs/faults.md)')
    .addHelpText(
      'after',
      examples([
        'flagwright serve',
        'flagwright serve --data flags.db --seed seed.json',
        'flagwright serve --project-id 1 --project-id 2',
        'flagwright serve --profile posthog --latency 50 --rate-limit 480/m',
        'flagwright serve --manifests -p production',
        'flagwright serve --faults faults.yaml',
      ]),
    )
    .action(commands.serve);
}
