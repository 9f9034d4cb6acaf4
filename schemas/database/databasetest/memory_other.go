//go:build !linux

package databasetest

// memoryFolder returns "", so that the cluster is in the default folder for temporary files.
func memoryFolder() string { return "" }
