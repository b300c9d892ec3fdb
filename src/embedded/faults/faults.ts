/** Faults on purpose: what becomes of a request while rules of a script are active for it. */

import type { ServerResponse } from 'node:http';
import { stringifyJson } from '../../base/json-text.ts';
import { pause } from '../../base/timer.ts';
import type { JsonValue } from '../../base/json.ts';
import type { AnsweringOptions } from '../answering/answer.ts';
import type { RequestRecord, ServiceRequest } from '../answering/request.ts';
import type { Answer } from '../handler/call.ts';
import { insteadOf, type WireReply } from './answers.ts';
import { reset, sendDripping, sendEndless, sendTruncated, sendWhole } from './connection.ts';
import { withContents } from './contents.ts';
import { edit } from './editor.ts';
import { readFaults } from './read.ts';
import { findActive, newHistory } from './rules.ts';
import { ENDINGS, type Effects, type Ending, type FaultRule, type When } from './script.ts';

interface FaultyExchange {
  readonly request: ServiceRequest;
  readonly response: ServerResponse;
  /** Carries the request out and gives its answer; a refusal is an answer as well. */
  readonly carryOut: () => Answer;
}

/** Gives the answer to send, or `undefined` when it dealt with the response itself. */
export type Faults = (exchange: FaultyExchange) => Promise<Answer | undefined>;

export interface FaultOptions extends AnsweringOptions {
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
}

/** Throws `FlagwrightError('usage')` for a script that does not fit. */
export function createFaults(script: JsonValue, options: FaultOptions): Faults {
  const { faults: rules } = readFaults(script);
  let history = newHistory(rules);
  return async (exchange) => {
    const { method, target } = exchange.request;
    const arrived = { method, path: target.split('?')[0] ?? '', now: options.context.now().getTime() };
    const found = findActive(rules, history, arrived);
    history = found.history;
    return found.active.length === 0 ? exchange.carryOut() : suffer(exchange, found.active, options);
  };
}

async function suffer(
  exchange: FaultyExchange,
  active: readonly FaultRule[],
  options: FaultOptions,
): Promise<Answer | undefined> {
  const ending = endingOf(active);
  await wait(active, 'before');
  editBeside(exchange, { active, when: 'before' }, options);
  const discards = discardsRequest(ending);
  const answer = discards ? undefined : withContents(exchange.carryOut(), active);
  if (!discards) editBeside(exchange, { active, when: 'after' }, options);
  await wait(active, 'after');
  const contentType = active.find((rule) => rule.content_type !== undefined)?.content_type;
  const isWhole = ENDINGS.every((name) => ending[name] === undefined);
  if (isWhole && contentType === undefined) return answer;
  await end(exchange.response, ending, replyOf(ending, { answer, contentType, now: options.context.now() }));
  return undefined;
}

/** The first ending in the script; the others have nothing left to end. */
function endingOf(active: readonly FaultRule[]): Ending {
  return active.find((rule) => ENDINGS.some((name) => rule[name] !== undefined)) ?? {};
}

function discardsRequest({ answer, reset: cut, hang }: Ending): boolean {
  return [answer, cut, hang].some((ending) => ending !== undefined && (ending.when ?? 'before') === 'before');
}

async function wait(active: readonly Effects[], when: When): Promise<void> {
  const waits = active.flatMap(({ latency }) => ((latency?.when ?? 'after') === when ? (latency?.ms ?? 0) : 0));
  const ms = waits.reduce((sum, next) => sum + next, 0);
  if (ms > 0) await pause(ms);
}

interface Moment {
  readonly active: readonly Effects[];
  readonly when: When;
}

function editBeside({ request }: FaultyExchange, { active, when }: Moment, options: FaultOptions): void {
  for (const { edit: effect } of active) {
    if (effect === undefined || (effect.when ?? 'before') !== when) continue;
    const { path, answer, error } = edit(effect, request, options);
    const record = { method: effect.method, path, status: answer.status, durationMs: 0 };
    options.onRequest?.({ ...record, ...(error !== undefined && { error }) });
  }
}

interface Answered {
  readonly answer: Answer | undefined;
  readonly contentType: string | undefined;
  readonly now: Date;
}

function replyOf(ending: Ending, { answer, contentType, now }: Answered): WireReply {
  if (ending.answer !== undefined) return insteadOf(ending.answer, now);
  const text = textOf(answer);
  const usual = answer?.text?.type ?? 'application/json';
  const type = text === '' ? {} : { 'Content-Type': contentType ?? usual };
  return { status: answer?.status ?? 200, headers: { ...answer?.headers, ...type }, text };
}

function textOf(answer: Answer | undefined): string {
  if (answer?.text !== undefined) return [...answer.text.chunks].join('');
  return answer?.body === undefined ? '' : stringifyJson(answer.body);
}

async function end(response: ServerResponse, ending: Ending, reply: WireReply): Promise<void> {
  if (ending.hang !== undefined) return;
  if (ending.reset !== undefined) return reset(response);
  if (ending.truncate !== undefined) return sendTruncated(response, reply, ending.truncate);
  if (ending.endless !== undefined) return sendEndless(response, reply);
  if (ending.drip !== undefined) return sendDripping(response, reply, ending.drip);
  return sendWhole(response, reply);
}
