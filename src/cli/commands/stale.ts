/** `flagwright stale`. */

import { command, type CommandDeclaration } from '../line/command.ts';
import { onOff, texts, whole, withDefault } from '../line/parameters.ts';
import type { Execute } from '../session/session.ts';

/** The service calls a flag stale after 30 days without calls; fewer would contradict it. */
const LEAST_DAYS = 30;

export const STALE: CommandDeclaration<Execute> = command({
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
});
