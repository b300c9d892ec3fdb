// One request to the forge's interface: in time, again where that is safe, and with a failure that names the remedy.

import { setTimeout as sleep } from 'node:timers/promises';
import { ForgeFailure } from '../failure.mjs';
import { proxyFor } from './proxies.mjs';

const ATTEMPTS = 4;
/** A job that has to wait longer fails and says so. */
const LONGEST_WAIT_MS = 90_000;
/** What GitHub asks for where a rate limit does not say how long. */
const UNSAID_WAIT_MS = 60_000;

/**
 * Returns `call(method, path, { body, remedy })`, which answers with `{ status, value, text, headers }`; `accept` lists statuses that are no failure.
 * `seconds`: how long one answer may take. `pause`: waits for so many milliseconds.
 */
export function createCaller({ api, headers, seconds, pause = sleep }) {
  return async function call(method, path, { body, remedy = '', accept = [] } = {}) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask({ url: `${api}${path}`, method, headers, body, seconds });
      if (answer.isFine || accept.includes(answer.status))
        return { status: answer.status, value: answer.value, text: answer.text, headers: answer.headers };
      const wait = waitBefore(answer, { attempt, method, seconds });
      if (wait === undefined) throw failureOf(answer, { method, path, remedy, seconds });
      await pause(wait);
    }
  };
}

async function ask({ url, method, headers, body, seconds }) {
  try {
    const response = await fetch(url, {
      ...proxyFor(url),
      method,
      headers: { ...headers, 'user-agent': 'flagwright-ci', ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      // A redirect could lead the token elsewhere.
      redirect: 'manual',
      signal: AbortSignal.timeout(seconds * 1000),
    });
    const text = await response.text();
    const value = parse(text);
    // A proxy or a login page answers with 200 and HTML.
    const isFine = response.ok && (text === '' || value !== undefined);
    return { status: response.status, headers: response.headers, value, text, isFine, isJson: value !== undefined };
  } catch (error) {
    const isSlow = error instanceof Error && error.name === 'TimeoutError';
    return { status: 0, headers: new Headers(), isFine: false, isSlow, cause: error?.cause?.code ?? error?.name };
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Milliseconds until the next attempt; undefined if there is none. */
function waitBefore(answer, { attempt, method, seconds }) {
  if (attempt >= ATTEMPTS) return undefined;
  const isLimited = isRateLimit(answer);
  // A request that creates something may have done so before its answer was lost.
  const mayRepeat = isLimited || (method !== 'POST' && (answer.status === 0 || answer.status >= 500));
  if (!mayRepeat) return undefined;
  const asked = isLimited ? askedWait(answer.headers) : undefined;
  const wait = asked ?? (seconds * 1000 * 2 ** (attempt - 1)) / 30;
  return wait > LONGEST_WAIT_MS ? undefined : wait;
}

/** GitHub answers with 403 as well when there were too many requests: of a secondary limit, only the message may say so. */
function isRateLimit({ status, headers, value }) {
  if (status === 429) return true;
  if (status !== 403) return false;
  const isSaid = /\b(?:secondary rate limit|abuse detection)\b/i.test(String(value?.message));
  return isSaid || headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0';
}

function askedWait(headers) {
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(after) && after >= 0) return after * 1000;
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0' && Number.isFinite(reset);
  return isUsedUp ? Math.max(0, reset * 1000 - Date.now()) : UNSAID_WAIT_MS;
}

function failureOf(answer, { method, path, remedy, seconds }) {
  const { status } = answer;
  return new ForgeFailure({
    status,
    isUnknown: status === 0 || status >= 500 || (status >= 200 && status < 300),
    message: `${method} ${path.split('?')[0]}: ${reasonOf(answer, seconds)}${detailOf(answer)}. ${remedyOf(answer, remedy)}`,
  });
}

function reasonOf({ status, isSlow, cause, isJson }, seconds) {
  if (isSlow === true) return `no answer within ${seconds} s`;
  if (status === 0) return `no answer (${cause})`;
  if (status < 300 && !isJson) return `the answer ${status} is not JSON`;
  return `the answer was ${status}`;
}

/** What the forge says, quoted; GitLab's message may be a list or an object. */
function detailOf({ value }) {
  const said = value?.message ?? value?.error;
  const details = value?.errors?.map?.((error) => error?.message).filter(Boolean) ?? [];
  const text = [typeof said === 'object' ? JSON.stringify(said) : said, ...details].filter(Boolean).join('; ');
  return text === '' ? '' : `, ${JSON.stringify(text.slice(0, 300))}`;
}

function remedyOf(answer, remedy) {
  const { status } = answer;
  if (isRateLimit(answer)) return 'The forge limits requests; run the job again later.';
  if (status === 0 || status >= 500) return 'Run the job again when the forge answers.';
  if (status < 400) return 'Check the address of the interface; a proxy or a login page may have answered.';
  return status === 401 ? 'The token is wrong or has expired; renew it.' : remedy;
}
