export const settingPrefix = 'plant-store:';

/** Returns the key of a setting in the CDK context. */
export const settingKey = (name: string) => `${settingPrefix}${name}`;
