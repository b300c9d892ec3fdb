/** Interprets an answer: a value, or one of the failures (docs/service.md, "Errors"). */

import { parseJson } from '../../base/json-text.ts';
import {
  DEEPEST_NESTING,
  isJsonArray,
  isJsonObject,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ChangeRequest } from '../../core/engine/change-request.ts';
import { kindOfStatus } from './failure-table.ts';
import type { Failure } from './failure.ts';
import { UnexpectedShape } from './shape.ts';
import type { WireAnswer, WireHeaders, WireStream } from './transport.ts';
import { replaceSpellings, spellingsOf } from '../../base/api-key.ts';

/** Reads the result from the body, which is `undefined` when empty; throws `UnexpectedShape`. */
export type ReadAnswer<T> = (body: JsonValue | undefined, status: number) => T;

interface AnswerReader<T> {
  readonly read: ReadAnswer<T>;
  readonly redactor: Redactor;
  readonly now: number;
}

export type ServiceAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure; readonly retryAfterMs?: number };

export function readAnswer<T>(wire: WireAnswer, reader: AnswerReader<T>): ServiceAnswer<T> {
  if (wire.status < 200 || wire.status >= 300) return readFailure(wire, reader);
  if (isEncoded(wire)) return { ok: false, failure: { kind: 'invalid_answer', why: 'encoded' } };
  const body = decodeJson(wire.body);
  if (body.kind === 'invalid') return { ok: false, failure: { kind: 'invalid_answer', why: body.why } };
  try {
    return { ok: true, value: reader.read(body.kind === 'value' ? body.value : undefined, wire.status) };
  } catch (error) {
    if (!(error instanceof UnexpectedShape)) throw error;
    const { at, expected } = error;
    return { ok: false, failure: { kind: 'invalid_answer', why: 'shape', at, expected } };
  }
}

/** The streamed body of a success, of the requested media type. A service without this format answers with JSON or a page instead. */
export function readDownload(
  wire: WireAnswer | WireStream,
  { accept, ...reader }: FailureReader & { readonly accept: string },
): ServiceAnswer<AsyncIterable<Uint8Array>> {
  if (wire.kind !== 'stream') return readFailure(wire, reader);
  if (isEncoded(wire)) return { ok: false, failure: { kind: 'invalid_answer', why: 'encoded' } };
  const type = headerText(wire.headers, 'content-type') ?? '';
  if (/json|html/i.test(type)) {
    return { ok: false, failure: { kind: 'invalid_answer', why: 'shape', expected: accept } };
  }
  return { ok: true, value: wire.body };
}

export function headerText(headers: WireHeaders, name: string): string | undefined {
  const value = memberOf(headers, name);
  return Array.isArray(value) ? value[0] : value;
}

/** The client requests only the identity encoding. */
function isEncoded({ headers }: WireAnswer | WireStream): boolean {
  const encoding = headerText(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  return encoding !== '' && encoding !== 'identity';
}

type FailureReader = Pick<AnswerReader<unknown>, 'redactor' | 'now'>;

function readFailure(wire: WireAnswer, { redactor, now }: FailureReader): ServiceAnswer<never> {
  const { status, headers } = wire;
  if (status >= 300 && status < 400) {
    const location = headerText(headers, 'location');
    const shown = location === undefined ? null : redactor.text(location);
    return { ok: false, failure: { kind: 'redirected', status, location: shown } };
  }
  const envelope = readEnvelope(wire.body, redactor);
  const [retryAfter, date] = [headerText(headers, 'retry-after'), headerText(headers, 'date')];
  // Only the detail of a 429 states seconds.
  const detail = status === 429 ? envelope.detail : null;
  const retry = defined({ retryAfterMs: retryAfterMs({ retryAfter, date, detail }, now) });
  return { ok: false, failure: toFailure(status, envelope, retry), ...retry };
}

function toFailure(status: number, envelope: Envelope, retry: { readonly retryAfterMs?: number }): Failure {
  const { code, attr, detail, changeRequest } = envelope;
  const kind = kindOfStatus(status);
  switch (kind) {
    case 'unauthorized':
    case 'forbidden':
    case 'not_found':
      return { kind, detail };
    case 'validation':
      return { kind, status, code, attr, detail };
    case 'conflict':
      return { kind, code, detail, ...defined({ changeRequest }) };
    case 'rate_limited':
      return { kind, detail, ...retry };
    case 'server':
      return { kind, status, detail };
    case 'unexpected_status':
      return { kind, status, code, detail };
  }
}

interface Envelope {
  readonly code: string | null;
  readonly attr: string | null;
  readonly detail: string | null;
  readonly changeRequest?: ChangeRequest;
}

/** Bodies without the envelope are normal: `{"error": …}`, `{"message": …}`, HTML of a proxy, or none. */
function readEnvelope(bytes: Uint8Array, redactor: Redactor): Envelope {
  const body = decodeJson(bytes);
  if (body.kind !== 'value' || !isJsonObject(body.value)) return { code: null, attr: null, detail: null };
  const envelope = body.value;
  const text = (value: JsonValue | undefined): string | null =>
    typeof value === 'string' && value !== '' ? redactor.text(value) : null;
  const attr = text(envelope['attr']);
  const detail = text(envelope['detail']) ?? text(envelope['error']) ?? text(envelope['message']);
  const code = text(envelope['code']);
  // Some checks of 2025 swap the sentence and the code (docs/service.md, "Errors").
  const areSwapped = code !== null && detail !== null && /\s/.test(code) && /^[a-z_]+$/.test(detail);
  // The framework's own shape, `{"key": ["…"]}`, where the service's error handler does not run.
  const [list] = Object.values(envelope).filter((value) => isJsonArray(value));
  return {
    ...(areSwapped ? { code: detail, detail: code } : { code, detail: detail ?? text(list?.[0]) }),
    attr,
    ...defined({ changeRequest: readChangeRequest(envelope, redactor) }),
  };
}

type JsonBody =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'empty' }
  | { readonly kind: 'invalid'; readonly why: 'not_utf8' | 'not_json' | 'too_deep' };

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes the bytes of an answer to a JSON value: UTF-8 whatever the content type says, with bounded nesting. */
export function decodeJson(bytes: Uint8Array): JsonBody {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return { kind: 'invalid', why: 'not_utf8' };
  }
  if (text.trim() === '') return { kind: 'empty' };
  if (isTooDeep(bytes)) return { kind: 'invalid', why: 'too_deep' };
  try {
    return { kind: 'value', value: parseJson(text) };
  } catch {
    return { kind: 'invalid', why: 'not_json' };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** One bit distinguishes `[` from `{` and `]` from `}` in ASCII; with that bit set, each pair is one number. */
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Counts brackets outside of strings, before anything is built from them. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) inString = !inString;
    else if (inString) index += byte === BACKSLASH ? 1 : 0;
    else if ((byte | CASE_BIT) === CLOSING) depth -= 1;
    else if ((byte | CASE_BIT) === OPENING && (depth += 1) > DEEPEST_NESTING) return true;
  }
  return false;
}

interface RetryHints {
  /** The header `Retry-After`: seconds, or a date. */
  readonly retryAfter: string | undefined;
  /** The header `Date`: a date in `Retry-After` is relative to it, since the two clocks may differ. */
  readonly date: string | undefined;
  /** Detail of the answer; services of 2023 give the seconds only there (docs/service.md, "Rate limits"). */
  readonly detail: string | null;
}

/** Milliseconds to wait, at least 0; `undefined` when the answer does not say. */
export function retryAfterMs({ retryAfter = '', date = '', detail }: RetryHints, now: number): number | undefined {
  const header = retryAfter.trim();
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const moment = httpDate(header);
  if (!Number.isNaN(moment) && /[a-z]/i.test(header)) {
    const sent = httpDate(date.trim());
    return Math.max(0, moment - (Number.isNaN(sent) ? now : sent));
  }
  const seconds = /(\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?)\b/i.exec(detail ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** HTTP dates are in GMT, even in the oldest form, which has no time zone. */
function httpDate(text: string): number {
  return Date.parse(/:\d{2}(\.\d+)? ?(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text} GMT`);
}

export interface Redactor {
  /** The string without the key and control characters, truncated to the length of a message. */
  readonly text: (text: string) => string;
  /** An error with only the cleaned message of another one. */
  readonly error: (error: unknown) => Error;
}

const PLACEHOLDER = '[key]';
const LONGEST_TEXT = 2000;

export function createRedactor(apiKey: string): Redactor {
  const spellings = spellingsOf(apiKey);
  const text = (value: string): string => {
    const withoutKey = replaceSpellings(value, spellings, PLACEHOLDER);
    const printable = withoutKey.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ');
    return printable.length > LONGEST_TEXT ? `${printable.slice(0, LONGEST_TEXT)}…` : printable;
  };
  // Libraries attach sockets, requests and headers to their errors; only name, message and code are copied.
  const plain = (error: unknown): Error => {
    const copy = new Error(text(error instanceof Error ? error.message : String(error)));
    copy.name = error instanceof Error ? text(error.name) : 'Error';
    const code = errorCode(error);
    return code === undefined ? copy : Object.assign(copy, { code: text(code) });
  };
  return { text, error: plain };
}

/** The code that Node and undici put on an error: `ECONNREFUSED`, `UND_ERR_SOCKET`, `CERT_HAS_EXPIRED` …. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Several addresses of one host failed: the first failure represents all.
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return undefined;
}

export function readChangeRequest(envelope: JsonObject, redactor: Redactor): ChangeRequest | undefined {
  const holders = [envelope, envelope['extra']].filter(isJsonObject);
  const id = holders
    .map((holder) => holder['change_request_id'])
    .find((found) => typeof found === 'string' || typeof found === 'number');
  if (id === undefined) return undefined;
  const whole = holders
    .flatMap((holder) => [holder['change_request'], holder['existing_change_request']])
    .find(isJsonObject);
  return { id: redactor.text(String(id)), ...describeRequest(objectOrEmpty(whole), (text) => redactor.text(text)) };
}

/** The change that the description of a request states. `show` is applied to each string. */
export function describeRequest(request: JsonObject, show: (text: string) => string): Omit<ChangeRequest, 'id'> {
  const text = (value: JsonValue | undefined): string | undefined =>
    typeof value === 'string' ? show(value) : undefined;
  const intent = objectOrEmpty(request['intent']);
  const asked = intent['full_request_data'];
  const { version } = objectOrEmpty(intent['preconditions']);
  return defined({
    action: text(request['action_key']),
    key: text(intent['flag_key']),
    version: typeof version === 'number' ? version : undefined,
    asked: isJsonObject(asked) ? () => asked : undefined,
  });
}
