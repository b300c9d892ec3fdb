/** Reads the answers of `git cat-file --batch`. */

export interface StoredObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  /** Absent if the object is too large. */
  readonly bytes?: Buffer;
  /** The first part of an object that is too large. */
  readonly start?: Buffer;
}

/** Larger than any manifest or folder may be. */
const LARGEST = 20_000_000;

type PartialObject = {
  readonly head: Omit<StoredObject, 'bytes' | 'start'>;
  readonly parts: Buffer[];
  missing: number;
};

/** Takes the output of git in parts of any length; calls `onObject` for each answer. */
export function createBatchReader(onObject: (object: StoredObject | undefined) => void): (part: Buffer) => void {
  let line: Buffer = Buffer.alloc(0);
  let reading: PartialObject | undefined;

  const readLine = (part: Buffer): Buffer => {
    const end = part.indexOf('\n');
    line = Buffer.concat([line, end === -1 ? part : part.subarray(0, end)]);
    if (end === -1) return Buffer.alloc(0);
    reading = parseHead(line.toString());
    line = Buffer.alloc(0);
    if (reading === undefined) onObject(undefined);
    return part.subarray(end + 1);
  };

  const readBody = (part: Buffer, { head, parts, missing }: PartialObject): Buffer => {
    const own = part.subarray(0, missing);
    if (head.size <= LARGEST || parts.length === 0) parts.push(own);
    if (own.length < missing) reading = { head, parts, missing: missing - own.length };
    else {
      reading = undefined;
      onObject(
        head.size <= LARGEST
          ? { ...head, bytes: Buffer.concat(parts, head.size) }
          : { ...head, start: Buffer.concat(parts) },
      );
    }
    return part.subarray(own.length);
  };

  return (part) => {
    let rest = part;
    while (rest.length > 0) rest = reading === undefined ? readLine(rest) : readBody(rest, reading);
  };
}

/** `ID TYPE SIZE`; `undefined` for `NAME missing` and the like. A line break follows the body. */
function parseHead(line: string): PartialObject | undefined {
  const [, id, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
  if (id === undefined || type === undefined) return undefined;
  return { head: { id, type, size: Number(size) }, parts: [], missing: Number(size) + 1 };
}
