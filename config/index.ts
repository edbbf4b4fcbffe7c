/** Reads the home's configuration. */
export { ownVersion } from './own-version.ts';
export { createConfigSource } from './config-source.ts';
export { ConfigError } from './config-error.ts';
export { configFile, loadConfig } from './load-config.ts';
