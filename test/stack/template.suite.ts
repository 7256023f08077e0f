import { expect, test } from '@jest/globals';
import { templates } from './templates.ts';

// All that AWS gets. The other suites only have what one place of a template, a page or a program
// must have in common with another.

test.each(Object.keys(templates))('the template is the snapshot (%s)', (name) => {
  const json = JSON.stringify(templates[name as keyof typeof templates]);
  // The hash of each function's files.
  expect(JSON.parse(json.replaceAll(/[0-9a-f]{64}(?=\.zip")/g, 'HASH'))).toMatchSnapshot();
});
