// Parses a manifest, or with `edit` sets the description of every tenth flag in it.

import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
import { parseDocument } from 'yaml';

// The library has no editor, so the row bundles it: `node bench/edit-file.mjs FILE EDITOR [edit]`.
const [, , file, editor, task] = argv;
const text = readFileSync(file, 'utf8');
if (task === 'edit') {
  const { editYaml } = await import(editor);
  const keys = [...text.matchAll(/^ {2}(\S+):$/gm)].map(([, key]) => key).filter((_, index) => index % 10 === 0);
  const edits = keys.map((key) => ({ path: ['flags', key, 'description'], value: 'Something else' }));
  const { refused, text: edited } = editYaml(text, edits, { layOut: () => '' });
  if (refused.length > 0 || edited.split('Something else').length !== edits.length + 1) throw new Error('Not edited.');
  console.log(edits.length);
} else console.log(Object.keys(parseDocument(text, { uniqueKeys: false }).toJS().flags).length);
