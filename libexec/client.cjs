// biome-ignore-all lint/style/useNodejsImportProtocol: old versions of Node do not know it
// biome-ignore-all lint/style/useTemplate: nor this
// The first thing Node reads. Old versions of Node must be able to read it too, so it is plain CommonJS without
// modern syntax; it checks what the rest takes for granted, and then loads the full client.
'use strict';

var fs = require('fs');
var path = require('path');
var url = require('url');

var OLDEST = 20;
var program = path.join(__dirname, '..', 'dist', 'bin', 'trainyard.js');

// bin/trainyard left a stopped copy of itself for the client to read; whoever does not get that far ends it.
function dismissTheWitness() {
  var id = parseInt(process.argv[2], 10);
  try {
    if (id > 1) process.kill(id, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function refuse(sentence) {
  dismissTheWitness();
  fs.writeSync(2, 'trainyard: ' + sentence + '\n');
  process.exit(1);
}

if (parseInt(process.versions.node, 10) < OLDEST) {
  refuse('this needs Node.js ' + OLDEST + ' or newer, and ' + process.execPath + ' is ' + process.version);
}
if (!fs.existsSync(program)) {
  refuse('this copy is not built yet: run `npm start` in ' + path.join(__dirname, '..'));
}
import(url.pathToFileURL(program).href).catch((error) => {
  dismissTheWitness();
  throw error;
});
