import type { Json } from './cloud-assembly.ts';
import { branchOf, isIntrinsic, refuse, resolve, type Scope } from './intrinsics.ts';
import type { PropertyRule, PropertyRules } from './supported-types.ts';

/**
 * Returns the properties that the emulator reads, with intrinsics resolved. Throws if an answer
 * could depend on one that it does not support. Adds the paths of those that it leaves out to
 * `leftOut`, because a deployment could show them.
 */
export function readProperties(
  properties: Record<string, Json>,
  rules: PropertyRules,
  where: string,
  scope: Scope,
  leftOut: string[],
) {
  function readMembers(members: object, rules: PropertyRules, where: string) {
    const read = Object.entries(members).map(([name, value]) => {
      const rule = rules[name] ?? rules[`${name.slice(0, name.lastIndexOf('.') + 1)}*`];
      return [name, readValue(value, rule, `${where}.${name}`)] as const;
    });
    return Object.fromEntries(read.filter(([, value]) => value !== undefined));
  }

  /** Returns undefined for what is not given or not read. */
  function readValue(value: Json, rule: PropertyRule | undefined, path: string): unknown {
    const given = rule === 'ignored' ? undefined : branchOf(value, path, scope);
    if (rule === 'ignored' || given === undefined) return undefined;
    if (rule === undefined) return refuse(path, 'this property');
    if (rule === 'left out') return void leftOut.push(path);
    if (typeof rule === 'function') {
      const plain = resolve(given, path, scope);
      const wrong = [plain].flat().find((item) => !rule(item));
      return wrong === undefined ? plain : refuse(path, JSON.stringify(wrong));
    }
    if (Array.isArray(given))
      return given.map((item) => readValue(item, rule, path)).filter((item) => item !== undefined);
    if (given === null || typeof given !== 'object' || isIntrinsic(given))
      return refuse(path, JSON.stringify(given));
    return readMembers(given, rule, path);
  }

  return readMembers(properties, rules, where);
}
