/** Returns a line that names what of the template is not imitated; empty if that is nothing. */
export const leftOutText = (leftOut: string[]) =>
  leftOut.length > 0 ? `Not imitated here: ${leftOut.join('; ')}. See docs/imitates.md.` : '';
