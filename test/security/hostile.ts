/** Strings of an attacker: terminal escapes, characters that reorder text, commands to CI logs, markup. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { startBroken, type BrokenService } from '../helpers/broken-service.ts';

/** Contains commands for a terminal, a CI log, a web page and a spreadsheet, some at the start of a line. */
export const HOSTILE = [
  '::set-env name=PATH::/evil',
  '\u001b]0;title\u0007\u001b[2J\u009b31m\u007f',
  '\u202egnp.\u2066\u200b\u{e0041}\ufeff',
  '\r\n::stop-commands::x\n  ::add-path::/evil',
  '\u2028::error::x\u0085##[add-path]/evil ##vso[task.setvariable variable=PATH]/evil',
  '<img src=x onerror=alert(1)> [x](javascript:alert(1)) ``` </pre> @everyone %0A=cmd|calc!A1',
].join('');

/** Patterns that no output may contain. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a control character', /[^\P{Cc}\n]/u],
  ['an invisible or reordering character', /[\p{Cf}\p{Zl}\p{Zp}]/u],
  ['half a character', /\p{Cs}/u],
  ['a command to a GitHub log', /^\s*::/m],
  ['a command to an Azure log', /##(?:\[|vso\[)/],
];

export function expectHarmless(text: string): void {
  for (const [what, pattern] of FORBIDDEN) {
    const found = pattern.exec(text);
    const around = found === null ? '' : JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 60));
    expect(found, `${what} in ${around}`).toBeNull();
  }
}

/** The annotations that `--format github` consists of; no other command may be in its output. */
export function withoutAnnotations(text: string): string {
  return text.replace(
    /^::(?:error|warning|notice) (?:file=[^,:\s]+[^,:\n]*,line=\d+,col=\d+,)?title=[\w/-]+::/gm,
    'annotation ',
  );
}

export type Answers = (request: IncomingMessage) => JsonValue | undefined;

/** A service whose answers an attacker chooses; other requests get a hostile 404. */
export async function startHostile(answers: Answers, refusal: JsonObject = hostileRefusal()): Promise<BrokenService> {
  return startBroken((request, response) => {
    const body = answers(request);
    answer(response, body === undefined ? 404 : 200, body ?? refusal);
  });
}

export function answer(response: ServerResponse, status: number, body: JsonValue): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export function hostileRefusal(text: string = HOSTILE): JsonObject {
  return { type: text, code: text, attr: text, detail: text };
}

/** A flag in which every string is the attacker's. */
export function hostileFlag(id: number, text: string = HOSTILE): JsonObject {
  const property = { key: text, type: text, operator: text, value: [text], [text]: text };
  return {
    id,
    key: id === 1 ? 'checkout' : `${text}${id}`,
    name: text,
    active: true,
    deleted: false,
    filters: {
      [text]: text,
      groups: [
        {
          properties: [property, { ...property, type: 'cohort', value: 7, cohort_name: text }],
          description: text,
          [text]: { [text]: [text] },
        },
      ],
      multivariate: { variants: [{ key: text, name: text, rollout_percentage: 100 }] },
      payloads: { [text]: text, true: JSON.stringify({ [text]: text }) },
    },
    tags: [text],
    created_at: text,
    created_by: { id: 1, uuid: text, first_name: text, email: text, [text]: text },
    can_edit: false,
    experiment_set: [3],
    version: 1,
    [text]: text,
  };
}

export function pageOf(results: readonly JsonValue[]): JsonObject {
  return { count: results.length, next: null, previous: null, results };
}
