/** Options whose value has a form of its own: a time, a rate of requests, a report in a format. */

import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { memberOf } from '../../base/json.ts';
import { INSTANT_REMEDY, parseInstant } from '../../base/times.ts';
import { FORMATS, type Format } from '../../report/formats/render.ts';
import type { ParametersOf, Parameter } from './parameters.ts';

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

export interface RateLimitOption {
  readonly requests: number;
  readonly windowMs: number;
}

const WINDOWS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

export const RATE_LIMIT: Parameter<RateLimitOption | undefined> = {
  syntax: '--rate-limit <n/unit>',
  description: 'respond with 429 above this rate: 480/m, 10/s, 4800/h',
  parse: (text) => {
    const [, requests = '', unit = ''] = /^(\d+)\/([smh])$/.exec(text) ?? [];
    const windowMs = memberOf(WINDOWS, unit);
    if (windowMs === undefined || Number(requests) < 1) {
      throw new InvalidArgumentError('It must be a number of requests per second, minute or hour, such as 480/m.');
    }
    return { requests: Number(requests), windowMs };
  },
};

export interface ReportFile {
  readonly format: Format;
  /** The name on the command line. */
  readonly file: string;
}

export const REPORT: Parameter<readonly ReportFile[] | undefined> = {
  syntax: '--report <format=file>',
  description: 'also write the report to a file in a format; may be repeated',
  parse: (text, earlier = []) => {
    const at = text.indexOf('=');
    const name = at === -1 ? text : text.slice(0, at);
    const file = at === -1 ? '' : text.slice(at + 1);
    const format = FORMATS.find((one) => one === name);
    if (format === undefined) {
      throw new InvalidArgumentError(`It must begin with a format, as in markdown=FILE: ${FORMATS.join(', ')}.`);
    }
    if (file === '' || file === '-') {
      throw new InvalidArgumentError(`It must name a file, as in ${format}=FILE. stdout is for --format.`);
    }
    if (earlier.some((other) => isSameFile(other.file, file))) {
      throw new InvalidArgumentError(`Another --report writes ${file}.`);
    }
    return [...earlier, { format, file }];
  },
};

/** Compares the names only. */
export function isSameFile(one: string, other: string): boolean {
  return path.normalize(one) === path.normalize(other);
}
