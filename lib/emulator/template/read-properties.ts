import { chosen, isIntrinsic, type Json, refuse, resolve, type Scope } from './intrinsics.ts';
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
  leftOut: string[] = [],
): Record<string, unknown> {
  function readMembers(members: Record<string, Json>, rules: PropertyRules, where: string) {
    const entries: [string, unknown][] = [];
    for (const [name, value] of Object.entries(members)) {
      const rule = rules[name] ?? rules[`${name.slice(0, name.lastIndexOf('.') + 1)}*`];
      const path = `${where}.${name}`;
      if (rule === 'ignored') continue;
      const given = branchOf(value, path);
      if (given === undefined) continue;
      if (rule === undefined) refuse(path, 'this property');
      if (rule === 'left out') leftOut.push(path);
      else entries.push([name, readValue(given, rule, path)]);
    }
    return Object.fromEntries(entries);
  }

  /** Chooses the branches of Fn::If, undefined for AWS::NoValue. */
  function branchOf(value: Json, path: string): Json | undefined {
    const { 'Fn::If': condition, Ref: name } = Object(value) as Record<string, Json>;
    if (condition) return branchOf(chosen(condition, path, scope), path);
    return name === 'AWS::NoValue' ? undefined : value;
  }

  function readValue(
    value: Json,
    rule: Exclude<PropertyRule, 'ignored' | 'left out'>,
    path: string,
  ): unknown {
    if (typeof rule === 'function') {
      const plain = resolve(value, path, scope);
      for (const item of Array.isArray(plain) ? plain : [plain])
        if (!rule(item)) refuse(path, JSON.stringify(item));
      return plain;
    }
    const items = [value].flat().map((item) => branchOf(item, path));
    const read = items
      .filter((item) => item !== undefined)
      .map((item) => {
        const isObject = item && typeof item === 'object' && !Array.isArray(item);
        if (!isObject || isIntrinsic(item)) return refuse(path, JSON.stringify(item));
        return readMembers(item, rule, path);
      });
    return Array.isArray(value) ? read : read[0];
  }

  return readMembers(properties, rules, where);
}
