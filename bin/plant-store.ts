import { SettingsError } from '../lib/settings.ts';
import { plantStoreApp } from '../lib/synthesize.ts';

try {
  plantStoreApp();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
