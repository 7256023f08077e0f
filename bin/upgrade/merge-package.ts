type Value = unknown;
type Members = Record<string, Value>;

/** What both sides changed, each differently. Ours stays. */
export interface PackageConflict {
  member: string;
  ours: Value;
  theirs: Value;
}

const isMembers = (value: Value): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEqual = (one: Value, other: Value): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * Merges the members of package.json, so that versions that stand beside each other are no
 * conflict. Members that both sides changed stay ours, and are reported.
 */
export function mergePackage(
  base: Members,
  ours: Members,
  theirs: Members,
  conflicts: PackageConflict[],
  path = '',
): Members {
  const merged: Members = {};
  for (const name of namesInOrder(ours, theirs)) {
    const member = `${path}${name}`;
    const before = base[name];
    const mine = ours[name];
    const next = theirs[name];
    let value = mine;
    if (isEqual(mine, before)) {
      value = next;
    } else if (isMembers(mine) && isMembers(next)) {
      value = mergePackage(isMembers(before) ? before : {}, mine, next, conflicts, `${member}.`);
    } else if (!isEqual(next, before) && !isEqual(next, mine)) {
      conflicts.push({ member, ours: mine, theirs: next });
    }
    if (value !== undefined) {
      merged[name] = value;
    }
  }
  return merged;
}

/** Returns the names of both. A new one of theirs follows the one that it follows there. */
function namesInOrder(ours: Members, theirs: Members): string[] {
  const names = Object.keys(ours);
  let previous: string | undefined;
  for (const name of Object.keys(theirs)) {
    if (!names.includes(name)) {
      names.splice(previous === undefined ? 0 : names.indexOf(previous) + 1, 0, name);
    }
    previous = name;
  }
  return names;
}
