// Puts the chunks of a bundle into a few files of CommonJS, by what is loaded together.

// esbuild makes a chunk for each set of entry points that share a module: hundreds, and finding and opening a file costs more than
// reading it. Node takes longer for ES modules, and V8 keeps no compiled code of them on Node 20. So each chunk becomes a function, which
// runs when it is first needed, and a file has the functions of all chunks that the same commands load.

import { basename, dirname, join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { init, parse } from 'es-module-lexer';

/** A file that is smaller is not worth opening. */
const LEAST_BYTES = 10_000;

/**
 * `chunks`: the text of each by its name. `outputs`: of the metafile. `start`: the source of what every command loads. `loads`: for each
 * command and for the library, the sources of the entry points that it loads. `views`: sources by their name in what `program.js` exports.
 */
export async function packChunks(folder, { chunks, outputs, start, loads, views }) {
  await init;
  const files = Object.fromEntries(Object.entries(outputs).map(([file, output]) => [basename(file), output]));
  const names = Object.keys(chunks);
  const numberOf = (name) => names.indexOf(basename(name));
  const packs = groupChunks(chunks, files, { start, loads });
  for (const [index, members] of packs.entries()) {
    const functions = members.map((name) => `${numberOf(name)}${functionOf(chunks[name], numberOf)}`);
    writeFileSync(join(folder, `${index}.js`), `"use strict";module.exports={${functions.join(',\n')}};\n`);
  }
  const packOf = names.map((name) => packs.findIndex((members) => members.includes(name)));
  const entry = (source) => numberOf(findEntry(files, source));
  writeFileSync(
    join(folder, 'program.js'),
    programOf(
      packs.length,
      packOf,
      Object.entries(views).map(([name, source]) => [name, entry(source)]),
    ),
  );
}

/** A view runs its modules when it is asked for. `require` is written out for each file, so that other bundlers find them all. */
function programOf(count, packOf, views) {
  const requires = Array.from({ length: count }, (_, index) => `()=>require("./${index}.js")`);
  const getters = views.map(([name, chunk]) => `get ${name}(){return load(${chunk})}`);
  return `"use strict";
const moduleUrl=require("node:url").pathToFileURL(__filename).href;
const packs=[${requires.join(',')}];
const packOf=[${packOf.join(',')}];
const loaded=[];
const load=(chunk)=>loaded[chunk]??=packs[packOf[chunk]]()[chunk](load,require,moduleUrl);
module.exports={${getters.join(',')}};
`;
}

/** A chunk as a function that returns its exports. They are constant once it has run, and no chunks import each other in a circle. */
function functionOf(text, numberOf) {
  const [imports, exports] = parse(text);
  let body = text;
  for (const found of imports.toReversed()) {
    const isStatement = found.d === -1;
    const by = isStatement
      ? constantsOf(text.slice(found.ss, found.se), found.n, sourceOf(found.n, numberOf))
      : `Promise.resolve().then(()=>${sourceOf(found.n, numberOf)})`;
    body = body.slice(0, found.ss) + by + body.slice(found.se);
  }
  const members = exports.map(({ n, ln = DEFAULT }) => (n === ln ? n : `${n}:${ln}`));
  const plain = body
    .replace(/export\{[^}]*\};?\s*$/, '')
    .replace(/export default (?=[\w$]+\(\);?\s*$)/, `const ${DEFAULT}=`);
  if (parse(plain)[1].length > 0) throw new Error(`A chunk has exports of an unknown form: ${plain.slice(-200)}`);
  return `(load,require,moduleUrl){${plain}\nreturn{${members.join(',')}}}`;
}

/** What a package of CommonJS exports. */
const DEFAULT = 'exportedByDefault';

function sourceOf(name, numberOf) {
  return name.startsWith('./') ? `load(${numberOf(name)})` : `require(${JSON.stringify(name)})`;
}

/** Functions of builtin modules that cost more to load than most of the runs whose chunks name them can use. */
const LATER = { 'node:child_process': ['spawn'], 'node:crypto': ['createHash', 'randomUUID'] };

/** `import a,{b as c}from"d"` as constants. */
function constantsOf(statement, name, source) {
  const [, clause = ''] = /^import\s*([^"]*?)\s*(?:from\s*)?"/.exec(statement) ?? [];
  if (clause === '') return source;
  const [, star] = /\*\s*as\s+([\w$]+)/.exec(clause) ?? [];
  const [, named] = /\{([^}]*)\}/.exec(clause) ?? [];
  const [, single] = /^([\w$]+)/.exec(clause) ?? [];
  const members = (named ?? '')
    .split(',')
    .filter(Boolean)
    .map((one) => one.split(/\s+as\s+/));
  const isLater = ([member]) => LATER[name]?.includes(member) === true;
  const now = members.filter((one) => !isLater(one)).map(([member, constant = member]) => `${member}:${constant}`);
  const constants = [
    ...(single === undefined ? [] : [`${single}=${source}`]),
    ...(star === undefined ? [] : [`${star}=${source}`]),
    ...members
      .filter(isLater)
      .map(([member, constant = member]) => `${constant}=(...given)=>${source}.${member}(...given)`),
    ...(now.length === 0 ? [] : [`{${now.join(',')}}=${source}`]),
  ];
  return `const ${constants.join(',')}`;
}

function groupChunks(chunks, files, { start, loads }) {
  const closures = [[start], ...loads].map(
    (sources) => new Set(sources.flatMap((source) => [...closureOf(findEntry(files, source), files)])),
  );
  const areas = areasOf(chunks, files);
  const groups = new Map();
  for (const name of Object.keys(chunks)) {
    const certain = closures[0].has(name) ? 'start' : closures.map((closure) => Number(closure.has(name))).join('');
    const group = certain.includes('1') || certain === 'start' ? certain : areas.get(name);
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...joinSmall(groups, chunks).values()];
}

/** Of chunks that no command is certain to load: the folder of the modules that load them when they need to. */
function areasOf(chunks, files) {
  const areas = new Map();
  for (const [name, { entryPoint }] of Object.entries(files).filter(([file]) => file in chunks)) {
    if (entryPoint === undefined) continue;
    const area = dirname(entryPoint).split('/').slice(0, 2).join('/');
    for (const loaded of closureOf(name, files))
      areas.set(loaded, [undefined, area].includes(areas.get(loaded)) ? area : 'others');
  }
  return areas;
}

/** A small group joins the one that the fewest further commands load, or, if no command is certain to load it, what else is such. */
function joinSmall(groups, chunks) {
  const bytesOf = (members) => members.reduce((sum, name) => sum + chunks[name].length, 0);
  const isLarge = (group) => group === 'start' || bytesOf(groups.get(group)) >= LEAST_BYTES;
  const large = [...groups.keys()].filter(isLarge).toSorted((a, b) => amountOf(a) - amountOf(b));
  const homeOf = (group) => (isCertain(group) ? large.find((other) => isLoadedWith(group, other)) : 'others');
  const joined = new Map();
  for (const [group, members] of groups) {
    const home = isLarge(group) ? group : homeOf(group);
    joined.set(home, [...(joined.get(home) ?? []), ...members]);
  }
  return joined;
}

const isCertain = (group) => /^[01]+$/.test(group);

/** How many commands load a group. */
function amountOf(group) {
  return isCertain(group) ? group.replaceAll('0', '').length : Infinity;
}

/** Whether each command that loads `group` loads `other`. */
function isLoadedWith(group, other) {
  return (
    other === 'start' || (isCertain(other) && [...group].every((loads, index) => loads === '0' || other[index] === '1'))
  );
}

function findEntry(files, source) {
  const found = Object.keys(files).find((file) => files[file].entryPoint === source);
  if (found === undefined) throw new Error(`${source} is no entry point of the bundle.`);
  return found;
}

/** The chunk and all that it imports at once. */
function closureOf(file, files, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path, kind, external } of files[file].imports) {
    if (kind === 'import-statement' && external !== true) closureOf(basename(path), files, found);
  }
  return found;
}
