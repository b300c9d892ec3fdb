/** The one comment with the newest plan, against a server that answers as GitHub and GitLab do on good and on bad days. */

import { describe, expect, test } from 'vitest';
import { commentText, keepComment, markerOf } from '../../ci/comment.mjs';
import { createGithub } from '../../ci/forge/github.mjs';
import { createGitlab } from '../../ci/forge/gitlab.mjs';
import { ME, startGithub, startGitlab, TOKEN, type Fault, type Forge } from '../helpers/forge.ts';

const MARKER = markerOf('production');

interface Side {
  readonly name: string;
  readonly me: string;
  readonly start: () => Promise<Forge>;
  readonly open: (api: string, seconds: number, pause: (ms: number) => Promise<void>) => object;
}

const SIDES: readonly Side[] = [
  {
    name: 'GitHub',
    me: ME,
    start: startGithub,
    open: (api, seconds, pause) =>
      createGithub({ api, repository: 'acme/shop', token: TOKEN, author: ME, workflow: '', seconds, pause }),
  },
  {
    name: 'GitLab',
    me: '42',
    start: startGitlab,
    open: (api, seconds, pause) =>
      createGitlab({ api, project: '9', notesToken: TOKEN, requestsToken: '', seconds, pause }),
  },
];

describe.each(SIDES)('on $name', ({ me, start, open }) => {
  /** Returns how long it would have waited between its requests, in milliseconds. */
  const put = async (forge: Forge, text: string, seconds = 5): Promise<readonly number[]> => {
    const waits: number[] = [];
    const pause = async (ms: number): Promise<void> => void waits.push(Math.round(ms));
    await keepComment(open(forge.url, seconds, pause), { request: 7, marker: MARKER, text: `${MARKER}\n${text}` });
    return waits;
  };
  const shown = (forge: Forge): string[] =>
    forge.comments.filter(({ author }) => author === me).map(({ text }) => text.replace(`${MARKER}\n`, ''));

  test('the first plan makes a comment, and later ones replace its text', async () => {
    const forge = await start();
    for (const text of ['one', 'two', 'three']) await put(forge, text);
    expect(shown(forge)).toEqual(['three']);
  });

  test('it is found behind 250 comments of other people, also ones that begin like it, which stay as they are', async () => {
    const forge = await start();
    for (let id = 1; id <= 250; id += 1) forge.comments.push({ id, author: '1', text: `${MARKER}\nnot ours` });
    for (const text of ['one', 'two']) await put(forge, text);
    expect(shown(forge)).toEqual(['two']);
    expect(forge.comments.filter(({ text }) => text.endsWith('not ours'))).toHaveLength(250);
  });

  test('it is found behind pages that are short or empty, since GitLab leaves out what the token may not read', async () => {
    const forge = await start();
    for (let id = 1; id <= 250; id += 1) forge.comments.push({ id, author: '1', text: 'of somebody else' });
    forge.hiddenNotes.push(3, ...Array.from({ length: 100 }, (_, index) => 101 + index));
    for (const text of ['one', 'two']) await put(forge, text);
    expect(shown(forge)).toEqual(['two']);
  });

  test('each project has a comment of its own', async () => {
    const forge = await start();
    await put(forge, 'production');
    const marker = markerOf('staging');
    await keepComment(
      open(forge.url, 5, async () => undefined),
      { request: 7, marker, text: `${marker}\nstaging` },
    );
    expect(forge.comments).toHaveLength(2);
  });

  test('a comment that is deleted meanwhile is written anew', async () => {
    const forge = await start();
    await put(forge, 'one');
    forge.faults.push({
      on: forge.log.some((call) => call.includes('notes')) ? 'PUT /notes' : 'PATCH /comments',
      meanwhile,
    });
    await put(forge, 'two');
    expect(shown(forge)).toEqual(['two']);
  });

  test('of two comments that two jobs wrote at once, one is left', async () => {
    const forge = await start();
    for (const id of [1, 2, 3]) forge.comments.push({ id, author: me, text: `${MARKER}\n${id}` });
    await put(forge, 'newest');
    expect(forge.comments).toEqual([{ id: 1, author: me, text: `${MARKER}\nnewest` }]);
  });

  test.each<[string, Fault]>([
    ['503', { on: 'GET ', times: 3, status: 503 }],
    ['502 with a page', { on: 'GET ', times: 2, status: 502, body: '<html>' }],
    ['429', { on: 'POST ', times: 3, status: 429, headers: { 'retry-after': '0' } }],
    ['a secondary rate limit', { on: 'POST ', times: 3, status: 403, headers: { 'retry-after': '0' } }],
    [
      'an hour that ended',
      { on: 'POST ', status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' } },
    ],
    ['an answer to a creation that was lost', { on: 'POST ', isLost: true }],
    ['500 to a creation', { on: 'POST ', status: 500 }],
    ['a login page in place of an answer', { on: 'POST ', status: 200, body: '<html>' }],
    ['silence', { on: 'GET ', isSilent: true }],
    ['an answer that breaks off', { on: 'GET ', times: 2, isTruncated: true }],
    ['an answer to a creation that breaks off', { on: 'POST ', isTruncated: true }],
  ])('%s is survived, with one comment', async (_, fault) => {
    const forge = await start();
    forge.faults.push(fault);
    // A fault that answers must not become silence on a machine that is busy.
    await put(forge, 'one', fault.isSilent === true ? 1 : 5);
    expect(shown(forge)).toEqual(['one']);
    expect(forge.faults).toEqual([]);
  });

  test.each<[string, Fault, readonly number[]]>([
    ['longer each time', { on: 'GET ', times: 3, status: 503 }, [167, 333, 667]],
    ['a minute where a limit does not say how long', { on: 'POST ', status: 429 }, [60_000]],
    [
      'a minute after a secondary limit',
      {
        on: 'POST ',
        status: 403,
        headers: { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': '1' },
        body: { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' },
      },
      [60_000],
    ],
    ['as long as it is asked to', { on: 'POST ', status: 429, headers: { 'retry-after': '60' } }, [60_000]],
  ])('it waits %s', async (_, fault, waits) => {
    const forge = await start();
    forge.faults.push(fault);
    expect(await put(forge, 'one')).toEqual(waits);
  });

  test.each<[string, Fault, RegExp]>([
    [
      '403',
      { on: 'POST ', status: 403, body: { message: 'Resource not accessible' } },
      /403, "Resource not accessible"\. .*(pull-requests: write|Reporter)/,
    ],
    ['404', { on: 'GET ', status: 404, times: 9 }, /the answer was 404/],
    [
      '422',
      { on: 'POST ', status: 422, body: { message: 'Invalid', errors: [{ message: 'body is too long' }] } },
      /422, "Invalid; body is too long"/,
    ],
    [
      'an hour to wait',
      { on: 'GET ', status: 429, times: 9, headers: { 'retry-after': '3600' } },
      /run the job again later/,
    ],
    ['an error that stays', { on: 'GET ', status: 500, times: 99 }, /500, "No"\. Run the job again/],
    ['silence that stays', { on: 'GET ', isSilent: true, times: 99 }, /no answer within 0\.05 s/],
    ['a redirect', { on: 'GET ', status: 302, headers: { location: 'https://example.org' } }, /302/],
    [
      'an answer that always breaks off',
      { on: 'GET ', isTruncated: true, times: 99 },
      /no answer \(\w+\)\. Run the job again/,
    ],
    ['a list that is none', { on: 'GET 7/', status: 200, body: { message: 'x' } }, /is not a list/],
  ])('%s ends in a failure that names the remedy and no token', async (_, fault, words) => {
    const forge = await start();
    forge.faults.push(fault);
    const failure = await put(forge, 'one', fault.isSilent === true ? 0.05 : 5).catch((error: unknown) => error);
    expect(String(failure)).toMatch(words);
    expect(String(failure)).not.toContain(TOKEN);
    expect(shown(forge)).toEqual([]);
  });

  test('a text that is too long for the forge is a failure, and is not sent again', async () => {
    const forge = await start();
    await expect(put(forge, 'x'.repeat(1_000_001))).rejects.toThrow(/answer was (422|400), .*too long/);
    expect(forge.log.filter((call) => call.startsWith('POST'))).toHaveLength(1);
  });

  test('a forge that answers the same page forever is a failure', async () => {
    const forge = await start();
    const page = Array.from({ length: 100 }, (_, id) => ({ id, author: { id: 1 }, user: { login: '1' }, body: '' }));
    forge.faults.push({ on: 'GET 7/', times: 999, status: 200, body: page });
    await expect(put(forge, 'one')).rejects.toThrow('does not turn its pages');
  });

  test('a wrong token is named as such', async () => {
    const forge = await start();
    forge.faults.push({ on: 'GET ', status: 401, times: 9, body: { message: 'Bad credentials' } });
    await expect(put(forge, 'one')).rejects.toThrow('The token is wrong or has expired');
  });
});

/** Somebody deletes the newest comment. */
function meanwhile(forge: Forge): void {
  forge.comments.pop();
}

describe('the text', () => {
  const parts = { marker: MARKER, commit: '0123456789abcdef', url: 'https://example.org/run', limit: 65_536 };

  test('is the document with its commit', () => {
    expect(commentText({ ...parts, document: '### Plan\n' })).toBe(
      `${MARKER}\n### Plan\n\nPlan of commit \`0123456789ab\` · [job, with its log and the plan as a page](https://example.org/run)\n`,
    );
  });

  test.each([65_000, 65_536, 200_000])('of a document of %i bytes fits, and is never cut', (size) => {
    const document = '`'.repeat(size);
    const text = commentText({ ...parts, document });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
    expect(text.includes(document)).toBe(size === 65_000);
    if (size > 65_000) expect(text).toContain('does not fit a comment');
  });

  test.each(['a-->b', 'ä b', '<x>'])('has a marker that the project %s cannot leave', (project) => {
    expect(markerOf(project)).toMatch(/^<!-- flagwright plan [\w.%-]+ -->$/);
    expect(markerOf(project).indexOf('-->')).toBe(markerOf(project).length - 3);
  });
});
