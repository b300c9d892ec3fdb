/** The page, read as strictly as XML: its structure, its policy, its colours, and strings of an attacker. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BADGES, painted } from '../../../src/report/formats/html/page.ts';
import { STYLE } from '../../../src/report/formats/html/style.ts';
import { ENTRY_KINDS } from '../../../src/report/model/report-model.ts';
import { EFFECT_CLASSES } from '../../../src/review/effects/effect.ts';
import { FULL_PLAN } from '../full-samples.ts';
import { renderWhole } from '../render-whole.ts';
import { render, RENDERERS } from '../../../src/report/formats/render.ts';
import type { Attributions } from '../../../src/posthog/authors/attribution.ts';
import type { Report } from '../../../src/report/report.ts';
import { elementsOf, parseXml, textOf, type XmlElement } from '../../helpers/xml.ts';
import { sampleOf } from '../samples-of-kinds.ts';
import { CHANGES, PLAN, VIEW } from '../samples.ts';

const KINDS = ['plan', 'drift', 'undo', 'result', 'nothing', 'validation', 'test', 'failure'] as const;

async function pageOf(report: Report): Promise<XmlElement> {
  return parseXml(RENDERERS.html.seal((await render(report, 'html', VIEW)) as string));
}

const classesOf = ({ attributes }: XmlElement): readonly string[] => (attributes['class'] ?? '').split(' ');

describe.each(KINDS)('the page of a %s report', (kind) => {
  test('is one file that loads nothing and runs nothing', async () => {
    const page = await pageOf(sampleOf(kind));
    const names = ['script', 'img', 'link', 'iframe', 'object', 'form', 'base', 'svg'];
    expect(names.flatMap((name) => elementsOf(page, name))).toEqual([]);
    const policy = elementsOf(page, 'meta').find(({ attributes }) => attributes['http-equiv'] !== undefined);
    const [style] = elementsOf(page, 'style');
    const hash = createHash('sha256')
      .update(textOf(style as XmlElement))
      .digest('base64');
    expect(policy?.attributes['content']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
  });

  test('has one heading of the first level, and no attribute that holds code or style', async () => {
    const page = await pageOf(sampleOf(kind));
    expect(elementsOf(page, 'h1')).toHaveLength(1);
    expect(page.attributes['lang']).toBe('en');
    expect(JSON.stringify(page)).not.toMatch(/"(?:on\w+|style|href|src)":/);
  });
});

test('a page shows every change with its classes, the riskiest first, and a choice for each class', async () => {
  const page = await pageOf({ kind: 'plan', plan: PLAN });
  const cards = elementsOf(page, 'article');
  expect(cards).toHaveLength(PLAN.changes.length);
  expect(cards.map((card) => classesOf(card)[1])).toEqual([
    'is-delete',
    'is-delete',
    'is-restore',
    'is-create',
    'is-access',
    'is-access',
    'is-payload',
  ]);
  const choices = elementsOf(page, 'input').map(({ attributes }) => attributes['id']);
  expect(elementsOf(page, 'label').map(({ attributes }) => attributes['for'])).toEqual(choices);
  for (const id of choices.slice(1)) expect(STYLE).toContain(`main:has(#${id}:checked) .card:not(.is-${id?.slice(5)})`);
});

test('short lines of a list stand in columns, sentences one below another', async () => {
  const listsOf = async (unmanaged: readonly string[]): Promise<readonly (readonly string[])[]> => {
    const page = await pageOf({ kind: 'drift', plan: { ...PLAN, unmanaged }, counting: {} });
    return elementsOf(page, 'ul')
      .map(classesOf)
      .filter((classes) => classes.includes('list'));
  };
  expect(await listsOf(['a', 'b'])).toContainEqual(['list']);
  const long = await listsOf(['a', 'a key that somebody wrote as a sentence, with more than a column of it']);
  expect(long).toContainEqual(['list', 'rows']);
  expect(long).not.toContainEqual(['list']);
});

test('a page says against what it was planned, and who made what it undoes', async () => {
  const at = '2026-11-21T09:00:00Z';
  const author = { kind: 'known', by: 'ann@example.com', at, via: 'web_or_key' } as const;
  const attributions: Attributions = new Map([
    ['flag:new-checkout', new Map([['/filters/payloads/one-page', author]])],
  ]);
  const against = { taken_at: '2026-11-22T10:00:00.000Z', age_seconds: 7200, fingerprint: `sha256:${'0'.repeat(64)}` };
  const text = textOf(await pageOf({ kind: 'plan', plan: PLAN, attributions, against }));
  expect(text).toContain('ann@example.com');
  expect(text).toContain('2026-11-22 10:00');
});

test('without colours, a value before and after is still told apart, and a class is a word', async () => {
  const text = textOf(await pageOf({ kind: 'plan', plan: PLAN }));
  expect(text).toContain('10% → 25%');
  expect(text).toMatch(/delete.*old-banner/s);
});

test('strings of an attacker stay text', () => {
  const evil = '<img src=x onerror=alert(1)></pre><script>"&amp;';
  const html = painted([{ tone: 'error', of: evil }]);
  expect(html).not.toMatch(/<(?!\/?span)/);
  expect(textOf(parseXml(html))).toBe(evil);
});

/** The contrast of two colours as the guidelines for accessible content define it. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('every colour of text has a contrast of at least 7 on every background, in light and dark', () => {
  const schemes = [...STYLE.matchAll(/--back: .*?(?= \})/g)].map(([text]) =>
    Object.fromEntries([...text.matchAll(/--(\w+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value])),
  );
  expect(schemes).toHaveLength(3);
  for (const scheme of schemes as readonly Record<string, string>[]) {
    for (const name of ['text', 'dim', 'good', 'bad', 'warn', 'link']) {
      for (const back of ['back', 'soft'])
        expect([name, back, contrast(scheme[name] ?? '', scheme[back] ?? '') >= 7]).toEqual([name, back, true]);
    }
  }
});

test('a plan of 5,000 changes is one page of a size that a browser opens', async () => {
  const create = CHANGES[0] as (typeof CHANGES)[number];
  const changes = Array.from({ length: 5_000 }, (_, index) => ({ ...create, key: `f${index}`, ref: `flag:f${index}` }));
  const text = (await render({ kind: 'plan', plan: { ...PLAN, changes } as typeof PLAN }, 'html', VIEW)) as string;
  expect(text.split('<article').length - 1).toBe(5_000);
  expect(text.length).toBeLessThan(10_000_000);
});

test('colours are never the only difference of badges', async () => {
  const badges = ENTRY_KINDS.map((name) => BADGES[name].join(' '));
  const [effects, outcomes] = [badges.slice(0, EFFECT_CLASSES.length), badges.slice(EFFECT_CLASSES.length)];
  expect(new Set(effects).size).toBe(effects.length);
  expect(outcomes.every((badge) => badge.split(' ')[1] !== '')).toBe(true);
  const html = await renderWhole(FULL_PLAN, 'html');
  expect(html).toContain('<span class="badge grave"><span class="sign">✗</span> kill</span>');
});

describe('a page for a phone', () => {
  test('ends no command with a full stop of its own, and repeats no label', async () => {
    const html = await renderWhole(FULL_PLAN, 'html');
    expect(html).not.toContain('</code>.</li>');
    for (const [, label = '', value = ''] of html.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)) {
      expect(value.startsWith(label)).toBe(false);
    }
  });

  test('names an action once, and aligns no value with spaces', async () => {
    const cards = elementsOf(await pageOf(FULL_PLAN), 'article').map(textOf);
    expect(cards.some((card) => card.startsWith('+ createhelp-centre'))).toBe(true);
    expect(cards.filter((card) => /(create|delete|restore).* \1 /.test(card))).toEqual([]);
    expect(cards.filter((card) => /^\w+ {3,}\S/m.test(card))).toEqual([]);
  });

  test('explains the classes that occur', async () => {
    const text = textOf(await pageOf(FULL_PLAN));
    expect(text).toContain('widen: more people get it');
    expect(text).not.toContain('narrow: fewer people get it');
  });
});
