import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { render, RENDERERS } from '../../../src/report/formats/render.ts';
import { VIEW } from '../samples.ts';

test('an annotation encodes what GitHub would decode, in properties and in data', async () => {
  const diagnostic: Diagnostic = {
    code: 'flag-key-invalid',
    severity: 'warning',
    place: { file: 'a,b:100%.yaml', line: 2, column: 3 },
    args: { key: '50%0A::error::x' },
  };
  const text = await render(
    { kind: 'validation', files: 1, flags: 2, cohorts: 0, tests: 0, diagnostics: [diagnostic] },
    'github',
    VIEW,
  );
  const [command, summary, end] = RENDERERS.github.seal(text as string).split('\n');
  expect(command).toMatch(/^::warning file=a%2Cb%3A100%25\.yaml,line=2,col=3,title=flag-key-invalid::/);
  expect(command).toContain('50%250A::error::x');
  expect([summary, end]).toEqual(['2 flags in 1 file: 1 warning', '']);
});

test.each([
  ['::set-env name=X::y', ':\\u003a'],
  ['  ::error title=x::y', ':\\u003a'],
  ['::add-mask::x', ':\\u003a'],
  ['::error file=a\r::set-env name=X::y', ':\\u003a'],
  ['::error title=a::##[add-path]x', '#\\u0023['],
])('%j is disarmed', (line, escape) => {
  expect(RENDERERS.github.seal(line)).toContain(escape);
});
