// Moves the changes in .changelog/ to the section `Unreleased` of CHANGELOG.md, each under its heading, in the group of that. With a
// version, the section gets that version and the date, for a release, and the heading in UPGRADING.md that version.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

// Readers look for what they must do first, then for what protects them, then for what is new. The headings of each group:
const GROUPS = {
  'Breaking changes': ['Mistakes no longer look like success', 'For programs'],
  Guards: ['Policies and safety rules', 'What was applied last', 'Writes are safer'],
  Additions: [
    ...['What a change does to people', 'Rollouts over time', 'Code that reads flags', 'Reviews and reports'],
    ...['Drift, edits and the base', 'Adopting flags', "Today's PostHog", 'Early access features', 'Scheduled changes'],
    ...['On call', 'In CI', 'The first day', 'The embedded service'],
  ],
  'Fixed, faster and plainer': [
    ...['Fixed', 'Runs that failed before and now complete', '`validate` finds more, sooner', 'Faster', 'Plain words'],
  ],
};
const NAMES = Object.keys(GROUPS);

const [version, root = process.cwd()] = process.argv.slice(2);
if (version !== undefined && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
  throw new Error(`${version} is no version. Give one as in 1.2.0, or none to keep the changes unreleased.`);
const folder = join(root, '.changelog');
const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
const changes = names.toSorted().map((name) => readChange(name));
const file = join(root, 'CHANGELOG.md');

writeFileSync(file, release(changes.reduce(insert, readFileSync(file, 'utf8'))));
if (version !== undefined) nameUpgrade(join(root, 'UPGRADING.md'));
for (const name of names) rmSync(join(folder, name));
process.stdout.write(`${names.length} ${names.length === 1 ? 'change' : 'changes'} moved to CHANGELOG.md\n`);

function readChange(name) {
  const [, heading, items] = /^# (.+)\n\n(- [^]*?)\n*$/.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
  if (heading === undefined)
    throw new Error(`.changelog/${name}: expected "# HEADING", an empty line, and list items.`);
  const group = NAMES.find((one) => GROUPS[one].includes(heading));
  if (group === undefined)
    throw new Error(`.changelog/${name}: no group of scripts/changelog.mjs has the heading "${heading}".`);
  return { heading, items, group };
}

/** After the last item of its heading; a new heading comes last in its group. */
function insert(text, { heading, items, group }) {
  const start = text.indexOf('## Unreleased\n');
  if (start === -1) throw new Error('CHANGELOG.md has no section "## Unreleased".');
  const next = text.indexOf('\n## ', start + 1);
  const section = text.slice(start, next === -1 ? undefined : next).trimEnd();
  const rest = next === -1 ? '\n' : `\n${text.slice(next)}`;
  const paragraphs = section.split('\n\n');
  const at = paragraphs.indexOf(`${heading}:`);
  if (at === -1) paragraphs.splice(endOf(group, paragraphs), 0, `${heading}:`, items);
  else paragraphs[at + 1] = `${paragraphs[at + 1]}\n${items}`;
  return `${text.slice(0, start)}${paragraphs.join('\n\n')}${rest}`;
}

/** The index of the paragraph after a group, which is added in its place if the section lacks it. */
function endOf(group, paragraphs) {
  const indexIn = (names) => paragraphs.findIndex((one) => names.some((name) => one === `### ${name}`));
  const later = indexIn(NAMES.slice(NAMES.indexOf(group) + 1));
  const end = later === -1 ? paragraphs.length : later;
  if (indexIn([group]) !== -1) return end;
  paragraphs.splice(end, 0, `### ${group}`);
  return end + 1;
}

function release(text) {
  if (version === undefined) return text;
  const today = new Date().toISOString().slice(0, 10);
  return text.replace('## Unreleased\n', () => `## Unreleased\n\n## ${version} (${today})\n`);
}

function nameUpgrade(upgrading) {
  writeFileSync(
    upgrading,
    readFileSync(upgrading, 'utf8').replace(/^(## From .* to )the next release$/m, `$1${version}`),
  );
}
