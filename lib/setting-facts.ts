// Facts of the settings that need no schema library, which programs would load at their start.

export const settingPrefix = 'plant-store:';

/** Returns the key of a setting in the CDK context. */
export const settingKey = (name: string): string => `${settingPrefix}${name}`;

/** What functions are by default. */
export const functionDefaults = { architecture: 'arm64', memory: 512 } as const;
