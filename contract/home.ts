/** Where things lie in the home. Only strings: nothing here touches the disk. */
export function homePaths(home: string) {
  return {
    home,
    database: `${home}/main.db`,
    /** How often a server has opened the database: an older one that is put back knows of fewer. */
    openings: `${home}/openings`,
    /** Derived from the database: may be deleted while no server runs. */
    searchIndex: `${home}/search.db`,
    /** Signs every token of this home. */
    secret: `${home}/secret`,
    /** The administrator's token, mode 0600. */
    token: `${home}/token`,
    serverFile: `${home}/server.json`,
    /** The port that was picked once and is kept, because children hold the address. */
    portFile: `${home}/port`,
    launcherFile: `${home}/run/launcher.json`,
    /** Why the last start did not come to its end, for whoever waits for it. */
    failureFile: `${home}/run/failure.json`,
    /** Why the server ended, where another start would end in the same way. */
    serverFailureFile: `${home}/run/server-failure.json`,
    /** A launcher that was started and does not hold its own file yet. */
    startingFile: `${home}/run/starting.json`,
    serverPidFile: `${home}/run/server.json`,
    hostPidFile: `${home}/run/host.json`,
    engineFile: `${home}/run/engine.json`,
    engineData: `${home}/engine`,
    /** Copies of the database, unless the configuration names another folder. */
    backups: `${home}/backups`,
    logs: `${home}/logs`,
    /** Hooks that came while no server was there, by the server they were meant for. */
    hookSpools: `${home}/spool`,
    /** What waits for this home's own server. */
    ownHookSpool: `${home}/spool/hooks`,
    work: `${home}/work`,
    /** One 0600 file per open invocation with the values of `context.env`. */
    secrets: `${home}/secrets`,
    /** Where connectors may lay a transcript for a hook to name it. */
    staging: `${home}/staging`,
    /** A runner host's own room: spool, context and prompt files. */
    hosts: `${home}/hosts`,
    configFiles: [`${home}/config.yaml`, `${home}/config.json`] as const,
  };
}
/** Names the runner host that has this room, and keeps any other out of it. */
export const hostLock = (hosts: string, hostId: string) => `${hosts}/${hostId}/host.lock`;
export type HomePaths = ReturnType<typeof homePaths>;
