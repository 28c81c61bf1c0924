# The vectors of the alignment kernel, and how they are sorted.

cdef extern from "<vector>" namespace "std" nogil:
    # Cython's own declarations turn an exception into one of Python at each call, which functions without the GIL can
    # only print: they would go on with half a table. From these it passes on, to where ``guarded`` was called.
    cdef cppclass vector[T]:
        cppclass iterator:
            iterator operator+(size_t)
            iterator operator-(size_t)
        T& operator[](size_t)
        T& back()
        T* data()
        size_t size()
        size_t capacity()
        iterator begin()
        iterator end()
        void assign(size_t, const T&)
        void clear()
        iterator insert[Input](iterator, Input, Input)
        void pop_back()
        void push_back(const T&)
        void reserve(size_t)
        void resize(size_t)


cdef extern from "<algorithm>" namespace "std" nogil:
    void nth_element[Iterator, Compare](Iterator, Iterator, Iterator, Compare)
    void partial_sort[Iterator, Compare](Iterator, Iterator, Iterator, Compare)
    void sort[Iterator](Iterator, Iterator)
    void sort[Iterator, Compare](Iterator, Iterator, Compare)
