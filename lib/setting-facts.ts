// Facts of the settings for programs that start fast, because lib/settings.ts loads a schema library.

export const settingPrefix = 'plant-store:';

/** Returns the key of a setting in the CDK context. */
export const settingKey = (name: string): string => `${settingPrefix}${name}`;

/** What functions are by default. */
export const functionDefaults = { architecture: 'arm64', memory: 512 } as const;
