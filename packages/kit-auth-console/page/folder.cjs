// The package has two builds in different folders. Only this module knows where the page is. Both can load CommonJS, which
// needs no `import.meta`. In a bundle it knows nothing, and as an ES module there, it has not even a folder.
exports.folder = typeof __dirname === 'string' ? __dirname : '';
