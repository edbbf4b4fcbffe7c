-- Nobody reads these any more: the version of what an agent knows is kept under `entities <agent>`.
DELETE FROM meta WHERE key GLOB 'entity_names *';
