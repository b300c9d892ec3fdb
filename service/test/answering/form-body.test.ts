/** What a form encodes is what is read. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseForm } from '../../src/answering/answer.ts';
import { runs } from '../../../test/helpers/runs.ts';

const value = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]|\p{Surrogate}/u.test(text));
const fields = fc.dictionary(
  fc.stringMatching(/^[a-z_]{1,8}$/).filter((name) => name !== 'tags'),
  value,
);

test('the fields of both kinds of form are read as they were written', async () => {
  const same = fc.asyncProperty(fields, fc.array(value), async (written, tags) => {
    const form = new FormData();
    for (const [name, text] of Object.entries(written)) form.set(name, text);
    for (const tag of tags) form.append('tags', tag);
    const expected = { ...written, ...(tags.length > 0 && { tags }) };
    const multipart = new Response(form);
    const type = multipart.headers.get('content-type') ?? '';
    expect(parseForm(Buffer.from(await multipart.arrayBuffer()), type)).toEqual(expected);
    const pairs = [...Object.entries(written), ...tags.map((tag): [string, string] => ['tags', tag])];
    const encoded = new URLSearchParams(pairs).toString();
    expect(parseForm(Buffer.from(encoded), 'application/x-www-form-urlencoded')).toEqual(expected);
  });
  await fc.assert(same, { numRuns: runs(100) });
});

test.each(['content-disposition: form-data\r\n\r\nvalue', 'content-disposition: form-data; name="key"'])(
  'a part without a name or a value: %j',
  (part) => {
    const body = Buffer.from(`--x\r\n${part}\r\n--x--\r\n`);
    expect(() => parseForm(body, 'multipart/form-data; boundary=x')).toThrow('a part has no name');
  },
);

test.each(['multipart/form-data', 'multipart/form-data; boundary=x'])('a body without its boundary: %s', (type) => {
  expect(() => parseForm(Buffer.from('key=a'), type)).toThrow('boundary');
});
