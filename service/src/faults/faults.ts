/** Applies the active rules of a fault script to a request. */

import type { ServerResponse } from 'node:http';
import { stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import type { AnsweringOptions, RequestRecord, ServiceRequest, Sleep } from '../answering/request.ts';
import type { Answer } from '../handler/call.ts';
import { buildFaultReply, type WireReply } from './answers.ts';
import { reset, sendDripping, sendEndless, sendTruncated, sendWhole, type Pause } from './connection.ts';
import { withContents } from './contents.ts';
import { edit } from './editor.ts';
import type { RequestLine } from './operations.ts';
import { readFaults } from './read.ts';
import { findActive, newHistory } from './rules.ts';
import { ENDINGS, type Effects, type Ending, type FaultRule, type When } from './script.ts';

interface FaultyExchange {
  readonly request: ServiceRequest;
  readonly response: ServerResponse;
  /** Handles the request; a refusal is also an answer. */
  readonly handle: () => Answer;
}

/** Returns the answer to send, or `undefined` if it has sent the response itself. */
export type Faults = (exchange: FaultyExchange) => Promise<Answer | undefined>;

export interface FaultOptions extends AnsweringOptions {
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
  readonly sleep: Sleep;
}

/** Throws `FlagwrightError('usage')` for an invalid script. */
export function createFaults(script: JsonValue, options: FaultOptions): Faults {
  const { faults: rules } = readFaults(script);
  let history = newHistory(rules);
  return async (exchange) => {
    const line = readRequestLine(exchange.request);
    const found = findActive(rules, history, { ...line, now: options.context.now().getTime() });
    history = found.history;
    return found.active.length === 0 ? exchange.handle() : applyFaults(exchange, found.active, options);
  };
}

function readRequestLine({ method, target }: ServiceRequest): RequestLine {
  return { method, path: target.replace(/\?.*$/s, '') };
}

async function applyFaults(
  exchange: FaultyExchange,
  active: readonly FaultRule[],
  options: FaultOptions,
): Promise<Answer | undefined> {
  const ending = findEnding(active);
  const sleep = async (ms: number): Promise<void> => options.sleep(ms, readRequestLine(exchange.request));
  await wait(sleep, { active, when: 'before' });
  editBeside(exchange, { active, when: 'before' }, options);
  const discards = discardsRequest(ending);
  const answer = discards ? undefined : withContents(exchange.handle(), active);
  if (!discards) editBeside(exchange, { active, when: 'after' }, options);
  await wait(sleep, { active, when: 'after' });
  const contentType = active.find((rule) => rule.content_type !== undefined)?.content_type;
  const isWhole = ENDINGS.every((name) => ending[name] === undefined);
  if (isWhole && contentType === undefined) return answer;
  const reply = buildReply(ending, { answer, contentType, now: options.context.now() });
  await end(exchange.response, { ending, reply, sleep });
  return undefined;
}

/** Only the first ending of the script applies. */
function findEnding(active: readonly FaultRule[]): Ending {
  return active.find((rule) => ENDINGS.some((name) => rule[name] !== undefined)) ?? {};
}

function discardsRequest({ answer, reset: cut, hang }: Ending): boolean {
  return [answer, cut, hang].some((ending) => ending !== undefined && (ending.when ?? 'before') === 'before');
}

async function wait(sleep: Pause, { active, when }: FaultMoment): Promise<void> {
  const waits = active.flatMap(({ latency }) => ((latency?.when ?? 'after') === when ? (latency?.ms ?? 0) : 0));
  const ms = waits.reduce((sum, next) => sum + next, 0);
  if (ms > 0) await sleep(ms);
}

interface FaultMoment {
  readonly active: readonly Effects[];
  readonly when: When;
}

function editBeside({ request }: FaultyExchange, { active, when }: FaultMoment, options: FaultOptions): void {
  for (const { edit: effect } of active) {
    if (effect === undefined || (effect.when ?? 'before') !== when) continue;
    const { path, answer, error } = edit(effect, request, options);
    const record = { method: effect.method, path, status: answer.status, durationMs: 0 };
    options.onRequest?.({ ...record, ...defined({ error }) });
  }
}

interface AnsweredExchange {
  readonly answer: Answer | undefined;
  readonly contentType: string | undefined;
  readonly now: Date;
}

function buildReply(ending: Ending, { answer, contentType, now }: AnsweredExchange): WireReply {
  if (ending.answer !== undefined) return buildFaultReply(ending.answer, now);
  const text = writeText(answer);
  const usual = answer?.text?.type ?? 'application/json';
  const type = text === '' ? {} : { 'Content-Type': contentType ?? usual };
  return { status: answer?.status ?? 200, headers: { ...answer?.headers, ...type }, text };
}

function writeText(answer: Answer | undefined): string {
  if (answer?.text !== undefined) return [...answer.text.chunks].join('');
  return answer?.body === undefined ? '' : stringifyJson(answer.body);
}

interface ExchangeEnd {
  readonly ending: Ending;
  readonly reply: WireReply;
  readonly sleep: Pause;
}

async function end(response: ServerResponse, { ending, reply, sleep }: ExchangeEnd): Promise<void> {
  if (ending.hang !== undefined) return;
  if (ending.reset !== undefined) return reset(response);
  if (ending.truncate !== undefined) return sendTruncated(response, reply, ending.truncate);
  if (ending.endless !== undefined) return sendEndless(response, reply);
  if (ending.drip !== undefined) return sendDripping(response, reply, { ...ending.drip, sleep });
  return sendWhole(response, reply);
}
