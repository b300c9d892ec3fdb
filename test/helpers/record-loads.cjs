/** Preloaded into a run of the built command: writes the files of the program that it read, and the builtin modules that it loaded. */

const fs = require('node:fs');

const { readFileSync } = fs;
const before = new Set(process.moduleLoadList);
const read = [];
fs.readFileSync = (file, ...rest) => {
  const content = readFileSync(file, ...rest);
  if (String(file).includes('/dist/'))
    read.push({ file: String(file).replace(/^.*\/dist\//, ''), bytes: content.length });
  return content;
};
process.on('exit', () => {
  const builtin = process.moduleLoadList.filter((name) => !before.has(name) && /^NativeModule (?!internal)/.test(name));
  fs.writeFileSync(process.env.LOADS_FILE, JSON.stringify({ read, builtin: builtin.map((name) => name.slice(13)) }));
});
