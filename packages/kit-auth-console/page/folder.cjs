// The package has two builds in different folders. Only this module knows where the page is. Both can load CommonJS, which
// needs no `import.meta`.
exports.folder = __dirname;
