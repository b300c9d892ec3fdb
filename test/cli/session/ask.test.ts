import { expect, test } from 'vitest';
import { askForYes, type Session } from '../../../src/cli/session/session.ts';

const QUESTION = { question: 'Apply?', refusal: 'nothing was applied', remedy: 'Add --yes.' };

interface Asked {
  readonly answer?: string | undefined;
  readonly stdin?: boolean;
  readonly stderr?: boolean;
  readonly stopped?: boolean;
}

/** What is said, and what is thrown. */
async function ask({ answer, stdin = true, stderr = true, stopped = false }: Asked): Promise<[string, unknown]> {
  const said: string[] = [];
  const stop = stopped ? AbortSignal.abort(new Error('Interrupted.')) : new AbortController().signal;
  const session = {
    context: { stdin: { isTerminal: stdin }, stderr: { isTerminal: stderr } },
    interrupts: { stop },
    print: async (text: string) => void said.push(text),
    ask: async (question: string) => (said.push(question), answer),
  } as unknown as Session;
  const error = await askForYes(session, QUESTION).catch((cause: unknown) => cause);
  return [said.join(''), error];
}

const ASKED = 'Apply? Only "yes" is accepted: ';

test.each(['yes', ' yes '])('%j confirms', async (answer) => {
  expect(await ask({ answer })).toEqual([ASKED, undefined]);
});

test.each([
  ['y', ASKED],
  ['Yes', ASKED],
  ['', ASKED],
  [undefined, `${ASKED}\n`],
])('%j does not', async (answer, said) => {
  const refused = { code: 'refused', message: 'Not confirmed; nothing was applied.' };
  expect(await ask({ answer })).toMatchObject([said, refused]);
});

test.each<Asked>([{ stdin: false }, { stderr: false }])('without a terminal nothing is asked: %j', async (asked) => {
  expect(await ask({ ...asked, answer: 'yes' })).toMatchObject([
    '',
    { code: 'refused', message: 'Confirmation needs a terminal or --yes; nothing was applied.', remedy: 'Add --yes.' },
  ]);
});

test('an interruption is the reason, whatever was answered', async () => {
  for (const answer of [undefined, 'yes'])
    expect(await ask({ answer, stopped: true })).toMatchObject([expect.anything(), { message: 'Interrupted.' }]);
});
