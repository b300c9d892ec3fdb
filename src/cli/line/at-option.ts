/** `--at`: looks at manifests as they are planned for another time. */

import { InvalidArgumentError } from 'commander';
import { INSTANT_REMEDY, parseInstant } from '../../base/times.ts';
import type { ParametersOf } from './parameters.ts';

export interface AtOption {
  /** Milliseconds since 1970. */
  readonly at?: number;
}

export const AT: ParametersOf<AtOption> = {
  at: {
    syntax: '--at <time>',
    description: 'show rollouts as they are planned for another time: 2026-12-01T09:00+01:00',
    parse: (text) => {
      const time = parseInstant(text);
      if (time === undefined) throw new InvalidArgumentError(`It must be a time with an offset. ${INSTANT_REMEDY}`);
      return time;
    },
  },
};
