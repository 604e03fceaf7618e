// Judges outcomes of programs: values within rounding, pictures and files by their content.

const RELATIVE = 1e-9;
const PICTURES = [Buffer.from('\x89PNG\r\n', 'latin1'), Buffer.from([0xff, 0xd8, 0xff])];

/** Returns whether a value is the right one. Numbers may differ by rounding of the last digits. */
export function isSame(value, right) {
  if (typeof right === 'number' && typeof value === 'number') {
    return Math.abs(value - right) <= RELATIVE * Math.max(1, Math.abs(right));
  }
  if (typeof right !== 'object' || right === null || typeof value !== 'object' || value === null)
    return value === right;
  const keys = Object.keys(right);
  if (Array.isArray(value) !== Array.isArray(right) || Object.keys(value).length !== keys.length) return false;
  return keys.every((key) => Object.hasOwn(value, key) && isSame(value[key], right[key]));
}

/** Returns whether the caller sees a PNG or JPEG picture with content. */
export async function hasPicture({ media = [] }, { read }) {
  const picture = media.find(({ type }) => type === 'image');
  if (picture === undefined) return false;
  const bytes = await read(picture.path);
  return PICTURES.some((start) => bytes.subarray(0, start.length).equals(start)) && bytes.length > 200;
}

/** Returns a check of a ZIP file: that it has entries of these names. */
export const isZipWith =
  (path, ...names) =>
  async (_, { read }) => {
    const bytes = await read(path);
    return bytes.subarray(0, 2).toString() === 'PK' && names.every((name) => bytes.includes(name));
  };
